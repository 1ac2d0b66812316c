"""Texts of a picture that lie over each other, over a colour bar or outside."""

from itertools import combinations

from matplotlib.text import Text


def _place(text, renderer):
    """Its box, a little smaller: neighbours may touch."""
    return text.get_window_extent(renderer).padded(-1)


def collisions(figure):
    """Pairs of what collides, as words."""
    figure.canvas.draw()
    renderer = figure.canvas.get_renderer()
    whole = figure.bbox.padded(1)
    texts = []
    for axes in figure.axes:
        hidden = set()
        # Ticks that an axis keeps in reserve; those in space are all drawn.
        for name in () if "z" in axes._axis_names else axes._axis_names:
            axis = getattr(axes, f"{name}axis")
            drawn = axis._update_ticks() if axis.get_visible() else []
            hidden |= {label for tick in [*axis.majorTicks, *axis.minorTicks] if tick not in drawn
                       for label in (tick.label1, tick.label2)}
        shown = axes.findobj(Text) if axes.axison else [*axes.texts, axes.title]
        texts += [(text, _place(text, renderer)) for text in shown
                  if text not in hidden and text.get_text().strip() and text.get_visible()]
    found = [f"'{a.get_text()}' and '{b.get_text()}'" for (a, p), (b, q) in combinations(texts, 2)
             if p.overlaps(q) and a.get_bbox_patch() is None and b.get_bbox_patch() is None]
    found += [f"'{a.get_text()}' outside" for a, p in texts
              if p.x0 < whole.x0 or p.y0 < whole.y0 or p.x1 > whole.x1 or p.y1 > whole.y1]
    bars = [axes for axes in figure.axes if axes.get_label() == "<colorbar>"]
    found += [f"'{a.get_text()}' on a colour bar" for bar in bars for a, p in texts
              if a.axes is not bar and p.overlaps(bar.get_window_extent(renderer))]
    return found
