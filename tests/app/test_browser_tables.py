"""Tables in a real browser: loading, reading, columns."""

import numpy as np
from tests.app.browser import IN_A_BROWSER, large_table, sizes

pytestmark = IN_A_BROWSER


def test_cancel_and_reload_in_the_middle_of_a_run(visit, server):
    dataset = server.upload("large.csv", large_table(20_000)).json()["id"]
    it = visit()
    page = it.page
    page.goto(f"{server.url}/#dataset={dataset}")
    page.wait_for_selector("#run")
    page.click("#run")
    page.wait_for_selector("text=Cancel")
    it.until("location.hash.startsWith('#work=')")
    page.reload()
    page.wait_for_selector("text=Cancel")  # the run goes on
    page.click("text=Cancel")
    page.wait_for_selector("text=The run was cancelled.")
    it.idle()
    page.wait_for_selector("#run:not([disabled])")
    assert page.locator("article.cluster").count() == 0


def test_upload_and_names_with_html_show_as_text(visit, tmp_path):
    it = visit()
    page = it.page
    evil = "<img src=x onerror=alert(1)>"
    random = np.random.RandomState(0)
    lines = [f'"{evil}",y,<b>name</b>']
    for i in range(60):
        x, y = random.randn(2) + 6 * (i % 2)
        lines.append(f"{x:.3f},{y:.3f},<script>alert({i % 5})</script>")
    path = tmp_path / "<i>evil.csv"
    path.write_text("\n".join(lines))
    page.set_input_files("#file", path)
    page.wait_for_selector("#run")
    assert page.locator("#title").inner_text() == "<i>evil.csv"
    page.fill("#clusters", "2")
    page.press("#clusters", "Tab")
    page.click("#run")
    page.wait_for_selector("article.cluster")
    page.fill("article.cluster >> nth=0 >> input.name", evil)
    page.press("article.cluster >> nth=0 >> input.name", "Tab")
    it.wait_for_step(1)
    it.tab("doubt")
    page.wait_for_selector(".card >> text=/together|left/")
    it.tab("history")
    assert page.locator("img[src=x]").count() == 0
    assert page.locator("main script").count() == 0


def test_the_work_is_offered_again(visit):
    it = visit().open("wine", 3)
    work = it.work
    it.page.goto(it.server.url)
    it.page.wait_for_selector("text=Your work")
    it.page.goto(f"{it.server.url}/#work={work}")
    it.page.wait_for_selector("article.cluster")
    assert it.page.locator("article.cluster").count() == 3


def customers(n_rows=200):
    """Return the lines of a German table: semicolons, decimal commas, dates."""
    random = np.random.RandomState(0)
    lines = ["Kunde;Größe;Alter;Kanal;seit"]
    for i in range(n_rows):
        group = i % 2
        size = f"{1.5 + 2 * group + 0.2 * random.randn():.2f}".replace(".", ",")
        age = 30 + 30 * group + random.randint(9)
        day = f"{1 + i % 28:02d}.0{1 + i % 9}.2021"
        lines.append(f"K{i:04d};{size};{age};{('web', 'shop')[group]};{day}")
    return "\n".join(lines)


@sizes
def test_columns_are_shown_and_changed_by_a_click(visit, size, tmp_path):
    path = tmp_path / "kunden.csv"
    path.write_text(customers(), encoding="cp1252")
    it = visit(size)
    page = it.page
    page.set_input_files("#file", path)
    page.wait_for_selector("#run")
    shown = page.locator(".panel").inner_text()
    assert "Read as CP1252, semicolons between cells, decimal commas" in shown
    role = page.locator("select[aria-label='What seit is taken for']")
    assert role.locator("option").first.inner_text() == "date"
    assert page.locator("[data-weight=Alter]").inner_text() == "counts 1"
    page.select_option("select[aria-label='What Alter is taken for']", "category")
    page.focus("[data-weight='Größe']")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=/counts 2 /")
    page.fill("#clusters", "2")
    page.press("#clusters", "Tab")
    page.click("#run")
    page.wait_for_selector("article.cluster")
    settings = it.server.work(it.work)["settings"]
    assert settings["roles"] == {"Alter": "category"}
    assert settings["weights"] == {"Größe": 2}
    assert settings["id_column"] == "Kunde"
    labels = it.labels()
    assert (labels[::2] == labels[0]).all() and (labels[1::2] == labels[1]).all()


def test_a_file_is_read_again_with_another_encoding(visit, tmp_path):
    path = tmp_path / "kunden.csv"
    path.write_text(customers(), encoding="cp1252")
    it = visit()
    page = it.page
    page.set_input_files("#file", path)
    page.wait_for_selector("#run")
    page.click("text=/Read as CP1252/")
    page.select_option("select[aria-label='Encoding of text']", "cp1251")
    page.wait_for_selector("text=/Read as CP1251/")
    assert "Größe" not in page.locator(".columns").inner_text()
    assert "GrцЯe" in page.locator(".columns").inner_text()


def test_an_error_names_what_the_page_has_and_no_option(visit, tmp_path):
    path = tmp_path / "mixed.csv"
    path.write_text("a;b\n" + "\n".join(f"{i}.5;{i},5" for i in range(30)))
    it = visit()
    page = it.page
    page.set_input_files("#file", path)
    page.wait_for_selector(".toast.error")
    told = page.locator(".toast").inner_text()
    assert "decimal sign" in told and "--" not in told
    it.errors.clear()  # the browser logs the status 422 itself


@sizes
def test_long_names_of_columns_break_between_words_and_stay_inside(
    visit, size, tmp_path
):
    names = [f"a_very_long_name_of_column_{j}_in_{'some_unit_' * 5}" for j in range(3)]
    random = np.random.RandomState(0)
    rows = random.randn(60, 3) + 6 * (np.arange(60) % 2)[:, None]
    lines = [",".join(names), *(",".join(f"{v:.3f}" for v in row) for row in rows)]
    (tmp_path / "long.csv").write_text("\n".join(lines))
    it = visit(size)
    page = it.page
    page.set_input_files("#file", tmp_path / "long.csv")
    page.wait_for_selector("#run")

    def inside(selector):
        """Whether no text is cut off or lies outside."""
        for element in page.locator(selector).all():
            wide, room = element.evaluate("e => [e.scrollWidth, e.clientWidth]")
            assert wide <= room + 1, element.inner_text()

    inside(".columns")
    inside(".column label")
    page.fill("#clusters", "2")
    page.press("#clusters", "Tab")
    page.click("#run")
    page.wait_for_selector("article.cluster")
    it.idle()
    inside("article.cluster summary")
    it.tab("doubt")
    page.wait_for_selector(".pair dt")
    inside(".pair > div")
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]


def test_rows_have_their_names_where_they_are_asked_about(visit, tmp_path):
    path = tmp_path / "kunden.csv"
    path.write_text(customers(60))
    it = visit()
    page = it.page
    page.set_input_files("#file", path)
    page.wait_for_selector("#run")
    page.fill("#clusters", "2")
    page.press("#clusters", "Tab")
    page.click("#run")
    page.wait_for_selector("article.cluster")
    it.tab("doubt")
    page.wait_for_selector(".pair small")
    shown = page.locator(".pair small").all_inner_texts()
    assert all(text.startswith("K00") for text in shown)
    assert page.locator("td >> text=/^K00/").count() > 0
    # A time needs a number of clusters: "auto" becomes one.
    it.tab("setup")
    page.fill("#clusters", "auto")
    page.press("#clusters", "Tab")
    page.select_option("select[aria-label='Column of times']", "Alter")
    assert page.input_value("#clusters") == "2"
