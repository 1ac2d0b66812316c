#!/usr/bin/env python3
"""Measures how long the live page takes from a move of its first slider to what is seen.

usage: live_latency.py DECK [MOVES]    needs the Python package with its extra `serve`, playwright
                                       and chromium

Prints the least, the median and the 90th percentile, ms: the answer has arrived, the antenna and
its figures are drawn, all charts in sight are drawn.
"""
import re
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

MOVE = """async (moves) => {
  const turn = () => new Promise((done) => setTimeout(done, 0));
  const slider = document.querySelector("input[id^=knob-]");
  const [low, high] = [Number(slider.min), Number(slider.max)], times = [];
  for (let i = 0; i < moves; i++) {
    const start = performance.now(), {asked} = page;
    slider.value = low + (high - low) * (0.45 + 0.1 * ((7 * i) % moves) / moves);
    slider.dispatchEvent(new Event("input", {bubbles: true}));
    while (page.answered <= asked) await turn();
    const answered = performance.now() - start;
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
    const seen = performance.now() - start;
    while (page.arrived) await turn();
    times.push([answered, seen, performance.now() - start]);
    await new Promise((done) => setTimeout(done, 40));
  }
  return times;
}"""


def main():
    deck, moves = Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 60
    server = subprocess.Popen([sys.executable, "-m", "thinwire", "serve", deck.name, "--no-browser"],
                              cwd=deck.parent, stdout=subprocess.PIPE, text=True)
    try:
        url = re.search(r"http://\S+", server.stdout.readline())[0]
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"),
                                                 args=["--no-sandbox"])
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            page.goto(url)
            while not page.evaluate("window.page?.asked > 0 && page.answered === page.asked"
                                    " && !page.arrived"):
                time.sleep(0.1)
            times = page.evaluate(MOVE, moves)
            browser.close()
    finally:
        server.terminate()
    for name, column in zip(("answered", "antenna drawn", "charts drawn"), zip(*times)):
        ordered = sorted(column)
        print(f"{name:14} {ordered[0]:6.0f} {statistics.median(ordered):6.0f} "
              f"{ordered[int(0.9 * len(ordered))]:6.0f}")


if __name__ == "__main__":
    main()
