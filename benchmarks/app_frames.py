"""The map of ``maxmargin app``: frames a second while 200,000 points are dragged.

The page runs in headless Chromium, which draws in software. While the map moves, it
draws as many points as a frame has time for, and all of them as soon as it rests. Needs
the extras ``app`` and ``test``, and Chromium.
"""

import shutil
import sys

from playwright.sync_api import sync_playwright

from benchmarks.served import served

N_POINTS = 200_000
SECONDS = 4
SOFTWARE = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]

# Ten clouds of points, dragged along a circle at every frame.
DRAG = """async ([count, seconds]) => {
  const { MapView } = await import("/static/map.js");
  const map = new MapView({ label: "points" });
  map.element.style.cssText = "position:fixed;inset:0;background:white;z-index:9";
  document.body.append(map.element);
  const normal = () => Math.sqrt(-2 * Math.log(1 - Math.random()))
    * Math.cos(2 * Math.PI * Math.random());
  const xy = new Float32Array(2 * count), colors = new Uint8Array(4 * count);
  for (let i = 0; i < count; i += 1) {
    const turn = 2 * Math.PI * (i % 10) / 10;
    xy[2 * i] = 0.7 * Math.cos(turn) + 0.1 * normal();
    xy[2 * i + 1] = 0.7 * Math.sin(turn) + 0.1 * normal();
    colors.set([25 * (i % 10), 120, 255 - 25 * (i % 10), 160], 4 * i);
  }
  map.setPositions(xy);
  map.setLook(colors, new Uint8Array(count).fill(1));
  map.resize();
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  for (let i = 0; i < 10; i += 1) await frame();
  const drawn = [], begin = performance.now();
  const first = map.frames;
  const draw = map.points.draw.bind(map.points);
  map.points.draw = (view, ratio, limit) => {
    drawn.push(Math.min(limit, count));
    draw(view, ratio, limit);
  };
  while (performance.now() - begin < 1000 * seconds) {
    const turn = (performance.now() - begin) / 200;
    map.view.x += 6 * Math.cos(turn); map.view.y += 6 * Math.sin(turn);
    map.move();
    await frame();
  }
  const took = (performance.now() - begin) / 1000, frames = map.frames - first;
  drawn.sort((a, b) => a - b);
  return [frames / took, drawn[drawn.length >> 1]];
}"""


def main():
    """Print the frames a second and the points of a frame."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        sys.exit("This benchmark needs Chromium.")
    with served() as (address, _), sync_playwright() as tool:
        browser = tool.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", *SOFTWARE]
        )
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(address)
        rate, moving = page.evaluate(DRAG, [N_POINTS, SECONDS])
        browser.close()
    print(
        f"{N_POINTS:,} points, 1280 x 800, drawn in software: {rate:.1f} frames a "
        f"second while the map moves, {moving:,.0f} points in the median frame"
    )


if __name__ == "__main__":
    main()
