"""How long Chromium takes to paint the picture of a page of ranks and steps.

python frames.py fleet.html
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

SCRIPT = """
addEventListener("load", () => {
  const { view } = window.page;
  const said = [];
  const measure = (what, times, change) => {
    const took = Array.from({ length: times }, () => {
      const begin = performance.now();
      change();
      view.paint();
      return performance.now() - begin;
    }).sort((one, other) => one - other);
    said.push(`${what}: ${took[took.length >> 1].toFixed(1)} ms in the median, ${took.at(-1).toFixed(1)} ms at most`);
  };
  measure("all of it", 20, () => {});
  measure("other colours", 5, () => view.show("late"));
  measure("enlarging", 40, () => view.zoom(1.15));
  measure("moving", 20, () => {
    view.x += 3;
    view.settle();
  });
  document.body.append(Object.assign(document.createElement("pre"), { id: "said", textContent: said.join("\\n") }));
});
"""

page = Path(sys.argv[1]).read_text()
# The page's policy would refuse a script of somebody else's.
page = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page)
page = page.replace("new Page(JSON", "window.page = new Page(JSON")
page = page.replace("</body>", f"<script>{SCRIPT}</script></body>")
options = ["--headless", "--no-sandbox", "--disable-gpu", "--window-size=1300,1000"]
options += ["--virtual-time-budget=20000", "--dump-dom"]
with tempfile.TemporaryDirectory() as folder:
    file = Path(folder, "page.html")
    file.write_text(page)
    command = ["chromium", *options, f"--user-data-dir={folder}/profile", f"file://{file}"]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
print(re.search(r'<pre id="said">(.*?)</pre>', shown, re.DOTALL)[1])
