"""The pages of --html in a real browser: nothing fetched, no error, and the controls work."""

import os
import pathlib
import tempfile
import unittest

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.select import Select

import browser as chromium
import reports

SCREENSHOTS = pathlib.Path(os.environ.get("NADI_SCREENSHOTS", "."))
SHARES = ["computation", "exposed communication", "exposed copies", "idle"]  # the first cards


def number(text):
    return float(text.replace(",", "").replace("−", "-").replace("+", "").replace("%", ""))


def micros(text):
    """Of "75.473 ms", to the nanosecond."""
    value, unit = text.split()
    return round(number(value) * {"µs": 1, "ms": 1e3, "s": 1e6}[unit], 3)


class PageTest(unittest.TestCase):
    """A browser that the tests of a class share, and what each page must not do."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.browser = chromium.start()
        cls.addClassCleanup(cls.browser.quit)
        cls.pages = cls.make_pages(pathlib.Path(cls.folder.name))

    def open(self, page, **screen):
        self.page = pathlib.Path(page)
        chromium.show(self.browser, page, **screen)

    def tearDown(self):
        self.assertEqual(chromium.errors(self.browser), [])
        asked = [url for url in chromium.requests(self.browser) if not url.startswith("data:")]
        self.assertEqual(asked, [self.page.as_uri()])

    def find(self, selector):
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def texts(self, selector):
        found = self.browser.find_elements(By.CSS_SELECTOR, selector)
        return [element.get_attribute("textContent") for element in found]

    def cells(self, table, column):
        return self.texts(f"#{table} tbody td:nth-child({column})")

    def data(self, expression):
        return self.browser.execute_script("return " + expression)

    def check_sorting(self, table, column):
        """A click sorts down, another up; the largest of the column is on top, then at the end."""
        title = self.find(f"#{table} thead th:nth-child({column})")
        title.click()
        down = [number(text) for text in self.cells(table, column)]
        self.assertGreater(len(set(down)), 1, "all the same: sorting would change nothing")
        self.assertEqual(down, sorted(down, reverse=True))
        self.assertEqual(title.get_attribute("aria-sort"), "descending")
        title.click()
        up = [number(text) for text in self.cells(table, column)]
        self.assertEqual(up, sorted(up))
        self.assertNotEqual(up, down)

    def check_screens(self, name):
        """Wide and narrow, light and dark: not blank, and no wider than the screen."""
        for width, scheme in ((1280, "light"), (1280, "dark"), (390, "light")):
            self.open(self.pages[0], width=width, scheme=scheme)
            self.assertLessEqual(self.data("document.documentElement.scrollWidth"), width)
            lines = chromium.take_picture(self.browser, SCREENSHOTS / f"{name}.{width}.{scheme}.png")
            self.assertGreater(lines, 300)


class DiffPage(PageTest):
    @staticmethod
    def make_pages(folder):
        page, DiffPage.report = reports.diff(folder, "--fail-if", "duration<-90%,added>100000")
        return [page]

    def test_it_looks_like_a_page_on_every_screen(self):
        self.check_screens("diff")

    def test_a_click_on_a_title_sorts_the_table(self):
        self.open(self.pages[0])
        self.check_sorting("rows", 7)

    def test_the_bars_show_as_many_rows_as_asked(self):
        self.open(self.pages[0])
        self.assertEqual(self.data("charts.bars.data.labels.length"), 10)
        before = self.data("charts.bars.height")
        Select(self.find("#top")).select_by_visible_text("20")
        shown = min(20, self.data("diffRows.filter(isChosen).length"))
        self.assertEqual(self.data("charts.bars.data.labels.length"), shown)
        self.assertEqual(self.data("charts.differences.data.labels.length"), shown)
        self.assertGreater(self.data("charts.bars.height"), before)
        self.assertGreater(chromium.count_pixels(self.browser, "bars", "control"), 1000)
        self.assertGreater(chromium.count_pixels(self.browser, "bars", "test"), 1000)

    def test_the_bars_show_counts_instead_of_durations(self):
        self.open(self.pages[0])
        durations = self.data("charts.bars.data.datasets[0].data")
        Select(self.find("#measure")).select_by_value("count")
        counts = self.data("charts.bars.data.datasets[0].data")
        self.assertNotEqual(counts, durations)
        largest = self.data(
            "Math.max(...diffRows.filter(isChosen).map((row) => Math.abs(row.countDifference)))")
        first = self.data("[0, 1].map((side) => charts.bars.data.datasets[side].data[0])")
        self.assertEqual(abs(first[1] - first[0]), largest)

    def test_the_iteration_comes_first_and_its_device_next(self):
        self.open(self.pages[0])
        cards = self.texts("#cards .card")
        lanes = {lane["measure"]: lane for lane in self.report["lanes"]}
        for card, measure in zip(cards, ("iteration", "device busy", "device idle")):
            self.assertIn(measure + ": ", card)
            shown = [micros(time) for time in card.split(measure + ": ")[1].split(" → ")]
            self.assertEqual(shown, [lanes[measure][side]["mean_us"] for side in ("control", "test")])

    def test_bars_and_table_show_own_or_inclusive_times(self):
        self.open(self.pages[0])
        own = self.cells("rows", 6), self.data("charts.bars.data.datasets[0].data")
        Select(self.find("#measure")).select_by_value("inclusive")
        inclusive = self.cells("rows", 6), self.data("charts.bars.data.datasets[0].data")
        self.assertNotEqual(own[0], inclusive[0])
        self.assertNotEqual(own[1], inclusive[1])
        self.assertIn("all they call", self.find("#rows-note").text)

    def test_a_group_taken_out_is_in_neither_bars_nor_table(self):
        self.open(self.pages[0])
        self.assertIn("same count", self.cells("rows", 2))
        self.find("#group-same-count").click()
        self.assertNotIn("same count", self.cells("rows", 2))
        left_out = set(self.data("diffRows.filter((row) => row.change === 'same count').map((row) => row.name)"))
        self.assertFalse(left_out & set(self.data("charts.bars.data.labels")))

    def test_the_text_typed_chooses_names(self):
        self.open(self.pages[0])
        self.find("#filter").send_keys("MEMCPY")
        names = self.cells("rows", 1)
        self.assertGreater(len(names), 0)
        self.assertTrue(all("memcpy" in name.lower() for name in names), names)
        self.assertEqual(self.data("charts.bars.data.labels.length"), min(10, len(names)))

    def test_the_call_tree_opens_and_closes_with_the_biggest_change_first(self):
        self.open(self.pages[0])
        self.find("#close-all").click()
        roots = len(self.texts("#tree tbody tr"))
        toggle = self.find("#tree tbody button.open")
        toggle.click()
        self.assertEqual(toggle.get_attribute("aria-expanded"), "true")
        levels = self.data("[...document.querySelectorAll('#tree tbody tr')].map((row) => row.depth)")
        self.assertGreater(len(levels), roots)
        self.assertEqual(max(levels), 1)
        changes = self.data("[...document.querySelectorAll('#tree tbody tr')]"
                            ".filter((row) => row.call && row.depth === 1)"
                            ".map((row) => Math.abs(row.call.difference))")
        self.assertEqual(changes, sorted(changes, reverse=True))
        toggle.click()
        self.assertEqual(len(self.texts("#tree tbody tr")), roots)

    def test_the_gate_says_what_was_asked(self):
        self.open(self.pages[0])
        self.assertIn("duration<-90%", self.find("#gate-text").text)
        self.assertIn("does not hold", self.find("#gate-text").text)
        self.assertIn("passed", self.find("#cards").text)


class ConvertPage(PageTest):
    @staticmethod
    def make_pages(folder):
        return [reports.convert(folder)[0]]

    def test_it_looks_like_a_page_on_every_screen(self):
        self.check_screens("convert")

    def test_a_click_on_a_title_sorts_the_edges(self):
        self.open(self.pages[0])
        self.check_sorting("edges-table", 2)

    def test_the_lanes_are_drawn_and_can_be_looked_at_closer(self):
        self.open(self.pages[0])
        self.assertGreater(chromium.count_pixels(self.browser, "lanes-chart", "communication"), 20)
        span = self.data("lanesView.to - lanesView.from")
        self.find("#lanes-in").click()
        self.assertAlmostEqual(self.data("lanesView.to - lanesView.from"), span / 2)
        self.assertNotEqual(self.find("#lanes-range").text[:2], "0 ")
        self.find("#lanes-all").click()
        self.assertEqual(self.data("lanesView.to - lanesView.from"), span)

    def test_explained_and_unexplained_time_of_every_lane_is_there(self):
        self.open(self.pages[0])
        lanes = self.data("rank.lanes.map(([name]) => name)")
        self.assertEqual(sorted(self.cells("use-table", 1)), sorted(lanes))
        self.assertGreater(chromium.count_pixels(self.browser, "use-chart", "unexplained"), 20)

    def test_the_page_keeps_to_a_few_megabytes(self):
        self.open(self.pages[0])
        self.assertLess(self.page.stat().st_size, 4_000_000)


class DamagedConvertPage(PageTest):
    @staticmethod
    def make_pages(folder):
        return reports.convert_damaged(folder)

    def cards(self, page):
        self.open(page)
        return [(card.text, card.get_attribute("class"))
                for card in self.browser.find_elements(By.CSS_SELECTOR, "#cards .card")]

    def test_losses_follow_the_shares_of_time_and_nothing_is_green_beside_them(self):
        cut, lost, whole = map(self.cards, self.pages)
        for cards in cut, lost, whole:
            self.assertEqual([text.split("\n")[1].split(":")[0] for text, _ in cards[:len(SHARES)]],
                             SHARES)
        cut, lost = cut[len(SHARES):], lost[len(SHARES):]
        bytes_left = self.pages[0].with_suffix(".json").stat().st_size
        self.assertRegex(cut[0][0], r"Device trace ends at byte \d+\.\d kB: 29 rows missing")
        told = float(cut[0][0].split("byte ")[1].split(" kB")[0])
        self.assertLess(abs(told * 1000 - bytes_left), 300)
        self.assertIn("30", lost[0][0])
        self.assertIn("launches without a device row", lost[0][0])
        for cards in cut, lost:
            self.assertIn("alarm", cards[0][1])
            self.assertFalse([text for text, kind in cards if "calm" in kind])
        self.assertTrue([text for text, kind in whole if "calm" in kind])
        self.assertFalse([text for text, kind in whole if "alarm" in kind])

    def test_gaps_that_nothing_explains_are_drawn_without_delays_in_the_graph(self):
        self.open(self.pages[2])
        self.assertGreater(chromium.count_pixels(self.browser, "lanes-chart", "delay"), 20)


class ReplayPage(PageTest):
    @staticmethod
    def make_pages(folder):
        return [reports.replay(folder, reports.convert(folder)[1])]

    def test_it_looks_like_a_page_on_every_screen(self):
        self.check_screens("replay")

    def test_a_click_on_a_title_sorts_the_lanes(self):
        self.open(self.pages[0])
        self.check_sorting("use-table", 3)

    def test_every_lane_is_there_as_measured_as_replayed_and_as_scaled(self):
        self.open(self.pages[0])
        runs = self.data("data.drawn.ranks[0].lanes.map((lane) => lane.run)")
        lanes = self.data("new Set(data.drawn.ranks[0].lanes.map((lane) => lane.name)).size")
        self.assertEqual(runs, ["measured", "replayed", "scaled"] * lanes)
        self.assertGreater(chromium.count_pixels(self.browser, "lanes-chart", "host"), 100)

    def test_the_time_is_compared_for_each_mode_of_delays(self):
        self.open(self.pages[0])
        names = self.data("charts['makespan-chart'].data.labels")
        takes = self.data("charts['makespan-chart'].data.datasets[0].data")
        self.assertEqual([name.split(" (")[0] for name in names],
                         ["measured", "replayed with all delays", "replayed with delays of the host",
                          "replayed without delays", "with kernels=0.5"])
        self.assertAlmostEqual(takes[0], takes[1])
        self.assertLess(takes[3], takes[1])


class UnmeasuredReplayPage(PageTest):
    @staticmethod
    def make_pages(folder):
        return [reports.replay_generated(folder)]

    def test_it_looks_like_a_page_on_every_screen(self):
        self.check_screens("replay_generated")

    def test_it_says_nothing_of_what_nobody_measured(self):
        self.open(self.pages[0])
        shown = self.find("body").text.lower()
        self.assertIn("replayed", shown)
        for word in ("measured", "explained", "clocks", "nan", "null"):
            self.assertNotIn(word, shown)

    def test_its_ranks_stand_in_the_order_of_their_numbers(self):
        self.open(self.pages[0])
        self.assertEqual([number(text) for text in self.texts("#rank option")], list(range(12)))
        self.assertEqual([number(text) for text in self.cells("ranks-table", 1)], list(range(12)))


class WhatIfPages(PageTest):
    @staticmethod
    def make_pages(folder):
        return [*reports.what_if(folder), reports.convert_graphs(folder)]

    def check_words(self, page):
        self.open(page)
        shown = self.find("body").text
        self.assertIn("a what-if, kernels=2: nobody measured them.", shown)
        self.assertNotIn("measured", shown.replace("nobody measured", "").lower())

    def test_a_replay_is_set_beside_the_what_if(self):
        self.check_words(self.pages[1])

    def test_a_profile_is_of_the_what_if(self):
        self.check_words(self.pages[2])

    def test_a_job_of_graphs_shows_the_job_alone(self):
        self.check_words(self.pages[3])
        self.assertEqual(self.texts("#navigation a"), ["Sizes", "Job"])

    def test_what_was_recorded_says_so_beside_the_what_if(self):
        self.check_words(self.pages[0])
        cards = self.find("#cards").text
        self.assertIn("from the first start to the last end, as recorded", cards)
        self.assertIn("the same with kernels=2", cards)
        self.assertEqual(self.data("document.querySelectorAll('#use-table thead th').length"), 5)


class ProfilePage(PageTest):
    @staticmethod
    def make_pages(folder):
        return [reports.profile(folder)]

    def test_it_looks_like_a_page_on_every_screen(self):
        self.check_screens("profile")

    def test_the_parts_of_each_bar_add_up_to_its_length(self):
        self.open(self.pages[0])
        shown = self.data("chosenTimes().map((one) => [one.length, "
                          "one.computation + one.transfer + one.waiting + one.copies + one.idleSum])")
        self.assertGreater(len(shown), 1)
        for length, parts in shown:
            self.assertEqual(length, parts)
        bars = self.data("charts['time-chart'].data.datasets.map((one) => [one.stack, one.data])")
        for bar, (length, _) in enumerate(shown):
            drawn = sum(values[bar] for stack, values in bars if stack == "exposed")
            self.assertAlmostEqual(drawn / (length / self.data("unitFor(Math.max("
                                   "...chosenTimes().map((one) => one.length))).ns")), 1)
        self.assertGreater(chromium.count_pixels(self.browser, "time-chart", "kernel"), 100)

    def test_a_rank_chosen_is_shown_alone(self):
        self.open(self.pages[0])
        Select(self.find("#rank")).select_by_value("1")
        self.assertEqual(set(self.cells("time-table", 1)), {"1"})
        for label in self.data("charts['time-chart'].data.labels"):
            self.assertIn("rank 1", label)

    def test_a_click_on_a_title_sorts_the_kernels(self):
        self.open(self.pages[0])
        self.check_sorting("kernels-table", 5)

    def test_the_text_typed_chooses_ops(self):
        self.open(self.pages[0])
        before = self.cells("ops-table", 1)
        typed = before[0].split("::")[-1]
        self.find("#ops input[type=search]").send_keys(typed.upper())
        names = self.cells("ops-table", 1)
        self.assertIn(before[0], names)
        self.assertTrue(all(typed in name for name in names), names)
        self.assertNotEqual(names, before)

    def test_the_call_tree_shows_the_longest_first(self):
        self.open(self.pages[0])
        self.find("#close-all").click()
        roots = "[...document.querySelectorAll('#tree tbody tr')].filter((row) => row.call)"
        times = self.data(f"{roots}.map((row) => row.call.host + row.call.device)")
        self.assertGreater(len(times), 0)
        self.assertEqual(times, sorted(times, reverse=True))
        self.find("#tree tbody button.open").click()
        self.assertEqual(self.data(f"Math.max(...{roots}.map((row) => row.depth))"), 1)


    def test_the_shares_of_the_time_come_first(self):
        self.open(self.pages[0])
        labels = [card.split(": ")[0].lstrip("0123456789. %") for card in self.texts("#cards .card")]
        self.assertEqual(labels[:4], SHARES)

    def test_ranks_have_the_shifts_of_their_clocks(self):
        self.open(self.pages[0])
        self.assertIn("Clock shift ms", self.texts("#ranks-table thead th"))
        shifts = [number(text) for text in self.cells("ranks-table", 5)]
        self.assertEqual(min(shifts), 0)
        self.assertEqual([round(shift * 1e6) for shift in shifts], self.data("data.ranks.map((row) => row[4])"))

    def test_a_click_on_a_collective_shows_it_in_the_timeline(self):
        self.open(self.pages[0])
        self.find("#collectives-table tbody tr").click()
        begin, length = self.data("$('#collectives-table').DataTable().row(0).data().slice(11)")
        begin -= self.data("data.drawn.origin_ns")
        start, end = self.data("[lanesView.from, lanesView.to]")
        self.assertLessEqual(start, begin)
        self.assertGreaterEqual(end, begin + length)
        first = self.data("Math.min(...lanesView.chosen.meeting.members.map((member) => member.begin))")
        self.assertEqual(first, begin)


class Timeline(PageTest):
    """The ranks over time, on the page of a profile."""

    @staticmethod
    def make_pages(folder):
        return [reports.profile(folder)]

    def setUp(self):
        self.open(self.pages[0])
        self.data("byId('lanes').scrollIntoView()")

    def range(self):
        return self.data("[lanesView.from, lanesView.to]")

    def unfold(self, rank=0):
        self.browser.find_elements(By.CSS_SELECTOR, "#lanes-labels button")[rank].click()

    def at(self, piece, row):
        """Actions that begin at the middle of a piece; both as JavaScript."""
        x, y = self.data(
            f"((piece, row) => [((piece.begin + piece.end) / 2 - lanesView.from) / (lanesView.to - lanesView.from) *"
            f" byId('lanes-chart').clientWidth, row.y + row.height / 2 - lanesView.scroll])({piece}, {row})")
        canvas = self.find("#lanes-chart")
        return ActionChains(self.browser).move_to_element_with_offset(
            canvas, round(x - canvas.size["width"] / 2), round(y - canvas.size["height"] / 2))

    def middle(self):
        return ActionChains(self.browser).move_to_element(self.find("#lanes-chart"))

    def longest(self, kind):
        """The row of a lane and its longest piece of that kind, as JavaScript."""
        row = (f"lanesView.rows.filter((row) => row.lane && row.lane.read.some((piece) => pieceTexts[piece.kind] === '{kind}'))[0]")
        piece = (f"{row}.lane.read.filter((piece) => pieceTexts[piece.kind] === '{kind}')"
                 ".reduce((a, b) => b.end - b.begin > a.end - a.begin ? b : a)")
        return row, piece

    def test_all_ranks_are_folded_on_one_clock_and_a_click_unfolds_one(self):
        ranks = self.data("data.ranks.map((row) => row[0])")
        self.assertEqual([label[2:] for label in self.texts("#lanes-labels > *")], [f"rank {rank}" for rank in ranks])
        for kind in ("kernel", "communication"):
            self.assertGreater(chromium.count_pixels(self.browser, "lanes-chart", kind), 20, kind)
        self.unfold(1)
        lanes = self.data("data.drawn.ranks[1].lanes.map((lane) => lane.name)")
        shown = self.texts("#lanes-labels > *")
        self.assertEqual(shown[2:2 + len(lanes)], lanes)
        self.unfold(1)
        self.assertEqual(len(self.texts("#lanes-labels > *")), len(ranks))

    def test_the_path_goes_from_the_first_start_to_the_last_end_across_ranks(self):
        stretches = self.data("data.drawn.stretches.map((one) => [one.rank, one.begin, one.end])")
        self.assertGreater(len({rank for rank, _, _ in stretches}), 1)
        self.assertAlmostEqual(sum(end - begin for _, begin, end in stretches), self.data("data.path_ns"))
        shown = chromium.count_pixels(self.browser, "lanes-chart", "path")
        self.assertGreater(shown, self.find("#lanes-chart").size["width"])
        self.find("#lanes-path").click()
        self.assertLess(chromium.count_pixels(self.browser, "lanes-chart", "path"), shown / 4)

    def test_arrows_of_collectives_are_drawn_on_demand(self):
        arrows = "Number(byId('lanes-chart').dataset.arrows)"
        self.assertEqual(self.data(arrows), 0)
        self.find("#lanes-meetings").click()
        members = self.data("data.drawn.met.reduce((sum, one) => sum + one.members.length - 1, 0)")
        self.assertGreater(members, 0)
        self.assertEqual(self.data(arrows), members)

    def test_a_click_on_a_communication_shows_its_members_and_arrows(self):
        self.unfold()
        row, piece = self.longest("communication")
        self.at(piece, row).click().perform()
        self.assertEqual([number(text) for text in self.cells("piece-members", 1)],
                         self.data("lanesView.chosen.meeting.members.map((one) => data.drawn.ranks[one.rank].rank)"))
        self.assertIn("began last", self.cells("piece-members", 4))
        self.assertEqual(chromium.count_pixels(self.browser, "lanes-chart", "accent") > 10, True)

    def test_a_click_on_a_piece_tells_its_node_and_the_command_that_draws_it(self):
        self.unfold()
        row, piece = self.longest("kernel")
        name, node = self.data(f"[{piece}.name, {piece}.node.id]")
        self.browser.execute_script(f"const piece = {piece}; showTime(piece.begin, piece.end)")
        self.at(piece, row).click().perform()
        self.assertEqual(self.find("#lanes-piece h3").text.split(" and ")[0], name)
        self.assertIn(f"{node}, device row", self.texts("#piece-table td"))
        self.assertIn("launch", self.cells("piece-edges", 3))
        picture = reports.run_shown(self.find("#piece-command").text, pathlib.Path(self.folder.name))
        self.assertIn(name[:20], picture)
        self.assertIn(str(node), picture)
        self.find("#piece-edges button").click()
        self.assertNotEqual(self.data("lanesView.chosen.piece.node.id"), node)
        self.find("#lanes-keys").send_keys(Keys.ESCAPE)
        self.assertFalse(self.find("#lanes-piece").is_displayed())

    def test_a_search_marks_names_and_enter_goes_from_one_to_the_next(self):
        wanted = self.data("data.drawn.ranks[0].lanes.find((lane) => lane.is_device).read[0].name")[:12]
        self.find("#lanes-search").send_keys(wanted.upper())
        found = self.data("lanesView.hits.pieces.length")
        self.assertIn(f"{found:,} found", self.find("#lanes-hits").text)
        begins = []
        for _ in range(min(3, found)):
            self.find("#lanes-search").send_keys(Keys.ENTER)
            self.assertIn(wanted, self.find("#lanes-piece h3").text)
            begins.append(self.data("lanesView.chosen.piece.begin"))
            start, end = self.range()
            self.assertTrue(start <= begins[-1] <= end)
        self.assertEqual(begins, sorted(begins))

    def test_the_wheel_zooms_where_the_pointer_is_and_dragging_moves(self):
        start, end = self.range()
        canvas = self.find("#lanes-chart")
        self.browser.execute_script(
            "arguments[0].dispatchEvent(new WheelEvent('wheel', {deltaY: -300, clientX:"
            " arguments[0].getBoundingClientRect().left, bubbles: true, cancelable: true}))", canvas)
        self.assertAlmostEqual(self.range()[0], start)
        self.assertLess(self.range()[1], end * 0.7)
        before = self.range()
        self.middle().click_and_hold().move_by_offset(-100, 0).release().perform()
        moved = (before[1] - before[0]) * 100 / canvas.size["width"]
        self.assertAlmostEqual(self.range()[0] / (before[0] + moved), 1, 5)
        self.assertAlmostEqual(self.range()[1] / (before[1] + moved), 1, 5)

    def test_dragging_along_the_axis_chooses_a_time(self):
        span = self.range()[1]
        axis = self.find("#lanes-axis")
        ActionChains(self.browser).move_to_element(axis).click_and_hold().move_by_offset(
            round(axis.size["width"] / 4), 0).release().perform()
        start, end = self.range()
        self.assertAlmostEqual(start / span, 0.5, 2)
        self.assertAlmostEqual(end / span, 0.75, 2)

    def test_keys_move_and_zoom(self):
        span = self.range()[1]
        keys = self.find("#lanes-keys")
        keys.send_keys("+")
        self.assertAlmostEqual(self.range()[1] - self.range()[0], span / 2)
        start = self.range()[0]
        keys.send_keys(Keys.ARROW_LEFT)
        self.assertLess(self.range()[0], start)
        keys.send_keys("0")
        self.assertEqual(self.range(), [0, span])

    def test_the_page_keeps_to_a_few_megabytes(self):
        pieces = self.data("data.drawn.ranks.flatMap((one) => one.lanes.map((lane) => lane.read.length)).reduce((a, b) => a + b)")
        self.assertLessEqual(pieces, 20_000)
        self.assertLess(self.page.stat().st_size, 4_000_000)

    def test_steps_stand_on_the_axis(self):
        steps = self.data("new Set(data.drawn.ranks.flatMap((one) => one.steps.map(([step]) => step))).size")
        self.assertGreater(steps, 0)
        self.assertEqual(int(self.find("#lanes-axis").get_attribute("data-steps")), steps)


class ShortCollectives(PageTest):
    @staticmethod
    def make_pages(folder):
        return reports.short_collectives(folder)

    def test_they_are_seen_but_hide_no_kernel(self):
        one, many = self.pages
        self.open(one)
        width = self.find("#lanes-chart").size["width"]
        self.assertGreater(chromium.count_pixels(self.browser, "lanes-chart", "communication"), 8)
        self.open(many)
        green, pink = chromium.count_tints(self.browser, "lanes-chart")
        self.assertGreater(pink, 2 * width)
        self.assertGreater(green, pink)


class HostilePage(PageTest):
    @staticmethod
    def make_pages(folder):
        return reports.hostile(folder)

    def test_names_are_text_and_nothing_else(self):
        for page in self.pages:
            self.open(page)
            self.assertIsNone(self.data("window.hit || null"), page)
            self.assertEqual(self.texts("img, main b b"), [])
            self.assertEqual(chromium.errors(self.browser), [])
        self.open(self.pages[0])
        self.assertIn(reports.BAD_NAME, self.cells("rows", 1))
        self.assertIn(reports.BAD_NAME, self.texts("#tree span.text"))
        # Its other trace has no kernel, so no stream: that is no time of 0.
        self.assertIn(None, self.data("data.lanes.map((lane) => lane[5])"))
        self.assertIn("gone", self.texts("#lanes tbody td"))
        self.open(self.pages[2])
        self.assertIn(reports.BAD_NAME, self.data("data.names"))


if __name__ == "__main__":
    unittest.main()
