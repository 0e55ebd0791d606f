"""Makes the pictures of reports in this folder: by commands, and as a browser shows their pages.

Run as ``python docs/pictures/make.py`` in the repository. It needs selenium, chromium and chromedriver, and the data
in ``../shared/data`` beside the repository. Nothing is edited afterwards but the number of colours.
"""

from __future__ import annotations

import base64
import io
import subprocess
import sys
import tempfile
from pathlib import Path
from shutil import which
from typing import Any

from PIL import Image

FOLDER = Path(__file__).resolve().parent
MOLNET = FOLDER.parents[2] / "shared" / "data" / "molnet"

LEAF = """const leaf = document.querySelectorAll(".node.leaf")[1];
    leaf.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    document.getElementById("stage").scrollTo(0, 0);
    const examples = [...document.querySelectorAll("#detail details.example")];
    const example = examples.sort((one, other) => one.textContent.length - other.textContent.length)[0];
    example.querySelector("summary").click();
    const detail = document.getElementById("detail");
    detail.scrollTop = example.offsetTop - detail.offsetTop - 40;"""


def main() -> None:
    """Make all of them."""
    browser = opened_browser()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bbbp, esol = str(MOLNET / "bbbp.csv"), str(MOLNET / "esol.csv")
        page = reported(folder, "bbbp", bbbp, "p_np", "Blood-brain barrier")
        shot(browser, page, "report.png", (1280, 860), "tree", LEAF)
        shot(browser, page, "report-pruning.png", (860, 640), "sizes")
        shot(browser, page, "report-phone.png", (375, 760), "tree")
        page = reported(folder, "esol", esol, "logSolubility", "Solubility in water")
        shot(browser, page, "report-rules.png", (1100, 640), "rules")
        page = reported(folder, "trains", "trains", None, "Trains", "--effort", "10")
        shot(browser, page, "report-effort.png", (860, 1000), "effort")
    browser.quit()


def reported(folder: Path, name: str, data: str, target: str | None, title: str, *options: str) -> Path:
    """Return the report of a tree that is learned with the defaults."""
    model, page = str(folder / f"{name}.json"), folder / f"{name}.html"
    learned = [] if target is None else ["--target", target]
    for words in (
        ["fit", data, "-o", model, "--no-estimate", *learned],
        ["report", model, "--data", data, "--title", title, "-o", str(page), *options],
    ):
        subprocess.run([sys.executable, "-m", "structtree.cli", *words], check=True, stdout=subprocess.DEVNULL)
    return page


def opened_browser() -> Any:
    """Return chromium without a window."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = which("chromium") or ""
    for flag in ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"):
        options.add_argument(flag)
    return webdriver.Chrome(options=options, service=Service(which("chromedriver")))


def shot(browser: Any, page: Path, name: str, size: tuple[int, int], tab: str, script: str = "") -> None:
    """Save what a window of that size shows of a tab."""
    width, height = size
    look = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", look)
    browser.get(page.as_uri())
    browser.execute_script(f"document.getElementById('tab-{tab}').click(); {script}")
    seen = base64.b64decode(browser.execute_cdp_cmd("Page.captureScreenshot", {})["data"])
    picture = Image.open(io.BytesIO(seen)).convert("RGB").quantize(96)
    picture.save(FOLDER / name, optimize=True)
    print(f"{name}: {(FOLDER / name).stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
