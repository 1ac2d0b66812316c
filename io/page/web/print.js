// Paper is white, has its own width, and no closed parts.

// Pictures that stand for the plots on paper: those that WebGL draws would be blank there, and
// the others as wide as the screen.
async function makePrintable() {
  for (const figure of document.querySelectorAll("figure:not([hidden])")) {
    const plot = figure.querySelector(".plot");
    if (plot.hidden) continue;
    const across = figure.className === "across" ? 2 : 1;
    const height = figure.querySelector(".tall") ? 400 : 290;
    const inSpace = "scene" in plot.layout;
    const source = await Plotly.toImage(plot, {
      format: inSpace ? "png" : "svg", scale: inSpace ? 2 : 1, width: 480 * across, height});
    plot.after(element("img", {className: "printed", src: source, alt: ""}));
  }
  const pictures = [...document.querySelectorAll("img.printed")];
  await Promise.all(pictures.map((picture) => picture.decode()));
}

async function printPage() {
  const details = [...document.querySelectorAll("details")];
  const before = {dark: state.dark, open: details.map((part) => part.open)};
  for (const part of details) part.open = true;
  if (before.dark) {
    setTheme(false);
    drawPage();
  }
  await makePrintable();
  window.print();
  for (const picture of document.querySelectorAll("img.printed")) picture.remove();
  details.forEach((part, i) => { part.open = before.open[i]; });
  if (before.dark) {
    setTheme(true);
    drawPage();
  }
}
