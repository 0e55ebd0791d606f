"""The report in a real browser: it opens without an error, and everything in it can be used."""

from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from shutil import which

import networkx as nx
import numpy as np
import pytest

from structtree import StructuralTreeClassifier, StructuralTreeRegressor, html_report, load_dataset
from tests.report.pictures.test_trees import HOSTILE

webdriver = pytest.importorskip("selenium.webdriver", reason="needs selenium: pip install selenium")
BROWSER, DRIVER = which("chromium") or which("google-chrome"), which("chromedriver")
pytestmark = pytest.mark.skipif(not (BROWSER and DRIVER), reason="needs chromium and chromedriver")

FLAGS = """--headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking
    --disable-component-update --disable-sync --window-size=1280,900""".split()  # noqa: SIM905


@pytest.fixture(scope="module")
def browser():
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for flag in FLAGS:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    # Nothing may be loaded: the network is off.
    driver.execute_cdp_cmd("Network.enable", {})
    off = {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0}
    driver.execute_cdp_cmd("Network.emulateNetworkConditions", off)
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reports")
    data = load_dataset("trains")
    tree = StructuralTreeClassifier("trains").fit(data.population, data.target)
    html_report(tree, data.population, data.target, folder / "trains.html", title="Trains")
    rows = [{"size": i / 2, "kind": "ab"[i % 2], "flag": i % 3 == 0} for i in range(40)]
    said = ["big" if row["size"] >= 10 and row["kind"] == "a" else "small" for row in rows]
    html_report(StructuralTreeClassifier().fit(rows, said), rows, said, folder / "flat.html")
    records = [{name: float(i == k) for k, name in enumerate(HOSTILE)} for i in range(len(HOSTILE))] * 3
    hostile = StructuralTreeClassifier(grow="full").fit(records, HOSTILE * 3)
    html_report(hostile, records, HOSTILE * 3, folder / "hostile.html", title="<img src=x onerror=alert(1)>")
    nested = [
        {"size": i, "parts": [{"kind": "ab"[(i + k) % 2], "n": k * i % 5} for k in range(i % 4)]} for i in range(60)
    ]
    price = [row["size"] + 50 * any(part["n"] >= 2 for part in row["parts"]) for row in nested]
    tree = StructuralTreeRegressor(grow="full", max_depth=3).fit(nested, np.array(price, dtype=float))
    html_report(tree, nested, price, folder / "nested.html")
    numbers, steps = [[float(i)] for i in range(160)], [["a", "b"][i // 2 % 2] for i in range(160)]
    html_report(StructuralTreeClassifier(grow="full").fit(numbers, steps), numbers, steps, folder / "wide.html")
    rings = [nx.cycle_graph(4 + i % 3) for i in range(20)]
    for i, ring in enumerate(rings):
        nx.set_node_attributes(ring, {k: "b" if i % 2 and k == 0 else "a" for k in ring}, "label")
    html_report(
        StructuralTreeClassifier().fit(rings, ["no", "yes"] * 10), rings, ["no", "yes"] * 10, folder / "graphs.html"
    )
    return folder


def opened(browser, pages, name):
    browser.get((pages / f"{name}.html").as_uri())
    assert [entry["message"] for entry in browser.get_log("browser")] == []
    return lambda selector: browser.find_elements("css selector", selector)


def press(browser, *keys):
    from selenium.webdriver import ActionChains

    ActionChains(browser).send_keys(*keys).perform()


@pytest.mark.parametrize("name", ["trains", "nested", "hostile"])
def test_every_tab_opens_without_an_error(browser, pages, name):
    find = opened(browser, pages, name)
    for tab in find("[role=tab]"):
        tab.click()
        (panel,) = (one for one in find("[role=tabpanel]") if one.is_displayed())
        assert panel.get_attribute("aria-labelledby") == tab.get_attribute("id") and panel.text.strip()
    assert browser.get_log("browser") == []


def test_a_click_on_a_node_shows_it(browser, pages):
    find = opened(browser, pages, "trains")
    assert len(find(".node")) == 5
    find(".node.leaf")[0].click()
    assert find("#detail h2")[0].text == "Leaf: east"
    find("#detail details.example summary")[0].click()
    assert find("#detail svg.drawing .on")
    find("#detail button.step")[0].click()
    assert find("#detail h2")[0].text == "some closed car is not long"
    assert find("#detail code")[0].text == "exists cars (closed and not long)"


def test_the_tree_is_searched_folded_and_zoomed(browser, pages):
    find = opened(browser, pages, "trains")
    find("#search")[0].send_keys("u_shaped")
    assert len(find(".node.dim")) == 4
    find("#search")[0].clear()
    find("#search")[0].send_keys("x", "\ue003")
    assert not find(".node.dim")
    width = find("#stage svg")[0].size["width"]
    find("[aria-label='Zoom in']")[0].click()
    assert find("#stage svg")[0].size["width"] > width
    browser.execute_script(
        "arguments[0].dispatchEvent(new MouseEvent('dblclick', {bubbles: true}))", find(".node")[0]
    )
    assert len(find(".node")) == 1 and find(".node")[0].get_attribute("aria-expanded") == "false"


def test_the_keyboard_is_enough(browser, pages):
    from selenium.webdriver.common.keys import Keys

    find = opened(browser, pages, "trains")
    browser.execute_script("document.querySelector('.node.chosen').focus()")
    press(browser, Keys.ARROW_RIGHT)
    assert find("#detail h2")[0].text == "Leaf: east"
    press(browser, Keys.ARROW_DOWN, Keys.ARROW_LEFT)
    assert find(".node.chosen")[0].get_attribute("aria-expanded") == "false"
    press(browser, Keys.ENTER)
    assert find(".node.chosen")[0].get_attribute("aria-expanded") == "true"
    browser.execute_script("document.getElementById('tab-tree').focus()")
    press(browser, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert find("#panel-rules")[0].is_displayed()


SHOWN = """const { width, height } = stage.firstChild;
    return { wide: width.baseVal.value, high: height.baseVal.value, width: stage.clientWidth,
        height: stage.clientHeight, most: parseFloat(getComputedStyle(stage).maxHeight), zoom: state.zoom }"""


@pytest.mark.parametrize("name", ["trains", "flat", "nested", "graphs"])
def test_a_tree_opens_fitted_to_the_window_without_empty_canvas(browser, pages, name):
    find = opened(browser, pages, name)
    first = browser.execute_script(SHOWN)
    assert first["wide"] <= first["width"] + 1 and first["high"] <= first["most"]
    assert first["height"] == pytest.approx(first["high"], abs=2)
    is_full = first["width"] - first["wide"] < 2 or first["most"] - first["high"] < 4
    assert is_full or first["zoom"] == 1.25
    for _ in range(5):
        find("[aria-label='Zoom in']")[0].click()
    assert browser.execute_script(SHOWN)["zoom"] > first["zoom"]
    find("[aria-label='Fit the tree into view']")[0].click()
    assert browser.execute_script(SHOWN) == first


def test_a_tree_that_would_not_be_legible_as_a_picture_opens_as_a_list(browser, pages):
    find = opened(browser, pages, "wide")
    first, n_nodes = browser.execute_script(SHOWN), len(find(".node"))
    assert (
        browser.execute_script("return state.zoom") == 1 and find("#list")[0].get_attribute("aria-pressed") == "true"
    )
    assert first["width"] - 2 <= first["wide"] <= first["width"] and first["high"] <= first["most"]
    boxes = [box.rect for box in find("#stage .node rect.card")]
    assert all(above["y"] + above["height"] <= below["y"] for above, below in pairwise(boxes))
    find("#list")[0].click()
    assert browser.execute_script("return state.zoom <= LEGIBLE")
    find("#list")[0].click()
    assert browser.execute_script(SHOWN) == first and len(find(".node")) == n_nodes


def test_a_tree_is_fitted_again_when_a_window_gets_its_size(browser, pages):
    find = opened(browser, pages, "wide")
    (path,) = {one for one in pages.iterdir() if one.name == "wide.html"}
    browser.get("about:blank")
    browser.execute_script(
        """const frame = document.createElement("iframe");
        frame.style = "width: 0; height: 0; border: none";
        frame.srcdoc = arguments[0];
        document.body.append(frame);""",
        path.read_text(encoding="utf-8"),
    )
    browser.switch_to.frame(find("iframe")[0])
    assert find(".node")
    browser.switch_to.default_content()
    browser.execute_script("document.querySelector('iframe').style = 'width: 1200px; height: 760px; border: none'")
    browser.switch_to.frame(find("iframe")[0])
    shown = browser.execute_async_script(
        "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done((() => {"
        + SHOWN
        + "})())))"
    )
    browser.switch_to.default_content()
    assert 0 < shown["wide"] <= shown["width"] + 1 and 0 < shown["high"] <= shown["most"]
    assert shown["height"] == pytest.approx(shown["high"], abs=2)


def test_a_tree_of_many_leaves_opens_with_its_top_levels_and_says_so(browser, pages):
    from selenium.webdriver.support.ui import Select

    find = opened(browser, pages, "wide")
    total, shown = browser.execute_script("return [leafCount, shownNodes().filter((i) => !D.nodes[i].kids).length]")
    assert total > 60 > shown and browser.execute_script("return state.zoom >= LEGIBLE")
    note = find("#levels")[0].text
    assert note.startswith(f"{shown} of {total} leaves shown, ") and note.endswith("click a dashed box to unfold it.")
    n_nodes = len(find(".node"))
    folded = browser.execute_script("return shownNodes().find((i) => D.nodes[i].kids && !state.open.has(i))")
    browser.execute_script(
        f"document.querySelector('[data-node=\"{folded}\"]').dispatchEvent(new MouseEvent('click'))"
    )
    assert len(find(".node")) == n_nodes + 2
    levels = Select(find("[aria-label='Unfold to a depth']")[0])
    levels.select_by_visible_text("all levels")
    assert len(find(".node")) == 2 * total - 1 and find("#levels")[0].text == ""
    find("[aria-label='Fit the tree into view']")[0].click()
    fitted = browser.execute_script(SHOWN)
    assert fitted["wide"] <= fitted["width"] + 1 and fitted["high"] <= fitted["most"]
    levels.select_by_visible_text("top levels")
    assert len(find(".node")) == n_nodes


def test_leaves_and_lists_of_graphs_have_thumbnails_and_other_individuals_have_none(browser, pages):
    find = opened(browser, pages, "graphs")
    assert len(find(".node.leaf")) == len(find(".node.leaf svg.drawing")) == 2
    find(".node.leaf")[0].click()
    assert find("#detail summary svg.drawing") and "Graph " in find("#detail summary")[0].text
    find = opened(browser, pages, "trains")
    find(".node.leaf")[0].click()
    assert not find(".node svg.drawing") and not find("#detail summary svg.drawing")


def test_values_can_be_edited_and_the_path_follows(browser, pages):
    find = opened(browser, pages, "flat")
    find("#tab-whatif")[0].click()
    size, kind = find("[data-field=size]")[0], find("[data-field=kind]")[0]
    from selenium.webdriver.support.ui import Select

    size.clear()
    size.send_keys("15")
    Select(kind).select_by_visible_text("a")
    assert find("#said")[0].text == "big"
    Select(kind).select_by_visible_text("b")
    assert find("#said")[0].text == "small"
    Select(kind).select_by_visible_text("missing")
    assert find("#said")[0].text == "small"


@pytest.mark.parametrize("name", ["trains", "flat", "nested"])
def test_an_individual_with_its_own_values_goes_where_the_tree_sends_it(browser, pages, name):
    opened(browser, pages, name)
    wrong = browser.execute_script("""return Object.values(D.examples).filter((one) =>
        descend(D.whatif.attributes.map(([name]) => one.values[name] ?? null), one.parts) !== one.leaf).length""")
    assert wrong == 0


def test_a_plain_value_of_a_nested_individual_is_edited_and_its_parts_stay(browser, pages):
    find = opened(browser, pages, "nested")
    find("#tab-whatif")[0].click()
    assert "Explanation" in find("#panel-whatif")[0].text
    said = set()
    for size in ("0", "59"):
        find("[data-field=size]")[0].clear()
        find("[data-field=size]")[0].send_keys(size)
        said.add(find("#said")[0].text)
    assert len(said) == 2


def test_costs_change_the_decisions(browser, pages):
    find = opened(browser, pages, "trains")
    find("#tab-quality")[0].click()
    assert find("#total-cost")[0].text == "0"
    find(".costs summary")[0].click()
    browser.execute_script("""const cost = document.querySelector("[data-cost='0,1']");
        cost.value = 1e9; cost.dispatchEvent(new Event("input"))""")
    assert find("#total-cost")[0].text == "10" and "minimise the expected cost" in find("#panel-quality")[0].text
    browser.execute_script("""const slider = document.getElementById("threshold");
        slider.value = 0; slider.dispatchEvent(new Event("input")); document.getElementById("cheapest").click()""")
    assert find("#cost")[0].text == "0"


def test_a_threshold_changes_what_is_counted(browser, pages):
    find = opened(browser, pages, "trains")
    find("#tab-quality")[0].click()
    before = find("#panel-quality .cells table")[0].text
    browser.execute_script(
        "const s = document.getElementById('threshold'); s.value = 0; s.dispatchEvent(new Event('input'));"
    )
    assert find("#panel-quality .cells table")[0].text != before
    assert find("#cost")[0].text == "10"


def test_it_is_light_or_dark(browser, pages):
    find = opened(browser, pages, "trains")
    paper = "return getComputedStyle(document.body).backgroundColor"
    light = browser.execute_script(paper)
    find("#theme")[0].click()
    assert browser.execute_script(paper) != light


def test_markup_in_the_data_is_text(browser, pages):
    find = opened(browser, pages, "hostile")
    assert find("h1")[0].text == "<img src=x onerror=alert(1)>" and not find("img")
    assert any("<script>alert(1)</script>" in one.text for one in find(".legend li"))


def violations(browser, rules):
    """Return what axe finds serious in the shown part of a page."""
    script = """const [rules, done] = arguments, panel = document.querySelector("[role=tabpanel]:not([hidden])");
        axe.run({ include: [panel, "header", "[role=tablist]"] }, { resultTypes: ["violations"], preload: false,
                ...(rules ? { runOnly: rules } : {}) })
            .then((found) => done(found.violations.filter((one) => ["serious", "critical"].includes(one.impact))
                .map((one) => `${one.id}: ${one.nodes[0].html}`)))"""
    return browser.execute_async_script(script, rules)


@pytest.mark.skipif(find_spec("axe_core_python") is None, reason="needs axe: pip install axe-core-python")
@pytest.mark.parametrize("name", ["trains", "nested", "graphs"])
def test_axe_finds_nothing_serious(browser, pages, name):
    axe = Path(find_spec("axe_core_python").origin).with_name("axe.min.js").read_text(encoding="utf-8")
    find, found = opened(browser, pages, name), set()
    browser.execute_script(axe)
    for tab in find("[role=tab]"):
        tab.click()
        browser.execute_script("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        for theme, rules in (("light", None), ("dark", ["color-contrast"])):  # the others do not depend on colours
            browser.execute_script("document.documentElement.dataset.theme = arguments[0]", theme)
            found |= {(theme, tab.text, violation) for violation in violations(browser, rules)}
    assert found == set()


@pytest.mark.parametrize("width", [1280, 375])
def test_nothing_is_wider_than_the_window(browser, pages, width):
    browser.set_window_size(width, 900)
    find = opened(browser, pages, "nested")
    for tab in find("[role=tab]"):
        tab.click()
        assert browser.execute_script("return document.documentElement.scrollWidth <= window.innerWidth")
    browser.set_window_size(1280, 900)
