"""What READMEs repeat of each other's figures is the same everywhere. Needs no build and no traces."""

import math
import re
import statistics
import unittest

from readme_files import numbers, table, text_of, words_of

REPLAY, VM, BENCH = "sim_bridge/replay/README.md", "tests/vm/README.md", "tests/bench/README.md"
NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen".split()


def percent(number, digits=1):
    text = f"{number:.{digits}f}"
    return "0" if float(text) == 0 else text


class Trust(unittest.TestCase):
    """The table of tests/README.md and the sentences of README.md, beside the tables they sum up."""

    def expect(self, words, file="tests/README.md"):
        self.assertTrue(words in words_of(file), f"{file} does not say: {words}")

    def test_first_page(self):
        rows = table(REPLAY, "| trace |")
        explained = [numbers(row[5])[0] for row in rows]
        half = math.floor(10 * statistics.median(explained)) / 10
        self.expect(f"stand idle in {NUMBERS[len(rows)]} real traces, the graph explains {min(explained)} to "
                    f"{max(explained)} %, of half of them {half} % or more", "README.md")
        host = [numbers(row[3])[0] for row in rows]
        self.expect(f"are {percent(min(host))} to {percent(max(host))} % off the measured time", "README.md")
        frameworks = [row for row in table(VM, "| record | programs | asked: waits")]
        recorded, default = (max(max(numbers(row[10])) for row in frameworks if row[0] == record)
                             for record in ("all recorded", "no sync rows"))
        training = max(numbers(row[1])[0] for row in table(REPLAY, "| change |"))
        self.expect(f"at most {recorded} % off for programs that call as FSDP2, vLLM and others do, where all waits are "
                    f"recorded, and {default} % with the profiler's defaults; plain training programs at most "
                    f"{training:.1f} %", "README.md")

    def test_real_traces(self):
        rows = table(REPLAY, "| trace |")
        self.assertEqual({row[2] for row in rows}, {"0.00 %"})
        host, none = ([numbers(row[column])[0] for row in rows] for column in (3, 4))
        self.expect(f"{NUMBERS[len(rows)]} jobs: exact with `--delays all`, where unexplained waiting is kept; "
                    f"{percent(min(host))} to {percent(max(host))} % with `host` (default), "
                    f"{percent(min(none))} to {percent(max(none))} % with `none`")

    def test_what_ifs(self):
        rows = table(REPLAY, "| change |")
        training, random = (max(numbers(row[column])[0] for row in rows) for column in (1, 2))
        self.expect(f"at most {training:.1f} % off for training programs, {random:.1f} % for random ones")

    def spoilt(self, begin):
        """Of the records that begin so: least recall, least precision, worst what-if."""
        rows = [row for row in table(VM, "| record | asked | recall") if re.match(begin, row[0])]
        return (min(min(numbers(row[2])) for row in rows), min(min(numbers(row[3])) for row in rows),
                max(max(numbers(row[4])) for row in rows))

    def test_programs_of_known_truth(self):
        for begin, words in (("none$", "all edges found, none false; what-ifs at most {} % off"),
                             (r"device clock \S+ us$", "all found, none false; {} %")):
            recall, precision, what_if = self.spoilt(begin)
            self.assertEqual((recall, precision), (1, 1))
            self.expect(words.format(what_if))

    def test_lost_records(self):
        recall, precision, what_if = self.spoilt("3 % of rows lost")
        self.assertEqual(precision, 1)
        self.expect(f"{math.floor(100 * recall)} % of each kind found, none false; {what_if} %")

    def test_misread_stamps(self):
        recall, precision, what_if = self.spoilt("device stamps off")
        self.expect(f"{100 * recall:.0f} % of the worst kind found, {100 * (1 - precision):.2f} % false; {what_if} %")

    def inferred(self, is_random):
        """Least share of waits found, least precision, worst what-if where waits are not recorded."""
        rows = [row for row in table(VM, "| record | programs |")
                if row[0].startswith("no ") and (row[1] == "random") == is_random]
        return (min(min(numbers(row[3])) for row in rows), min(min(numbers(row[5])) for row in rows),
                max(max(numbers(row[6])) for row in rows))

    def test_waits_that_are_not_recorded(self):
        found, precision, what_if = self.inferred(False)
        self.assertEqual(precision, 1)
        self.expect(f"{100 * found:.1f} % of waits found, none false; {what_if} %")
        found, precision, what_if = self.inferred(True)
        self.expect(f"at worst {100 * found:.0f} % found, {100 * (1 - precision):.0f} % false; {what_if} %")

    def test_speed(self):
        theirs, ours = next(row for row in table(BENCH, "| traces |") if row[0] == "resnet-2gpu")[1:]
        link, convert, memory = numbers(theirs)
        seconds, megabytes = ours.split(", ")
        self.expect(f"{seconds} in {megabytes}; MLCommons' linker and converter take {link + convert:.1f} s in "
                    f"{memory:.0f} MB", "README.md")


class CpuTime(unittest.TestCase):
    """Of the two commands: what the scripts announce is what READMEs say."""

    def test_is_told_alike_everywhere(self):
        for script, place in (("converters/demo.sh", "the first"), ("tests/run.sh", "the second")):
            announced = re.search(r"\((\S+ to \S+ CPU minutes), the first time\)", text_of(script)).group(1)
            for readme in "README.md", "converters/README.md", "tests/README.md":
                if readme != "tests/README.md" or script.startswith("tests"):
                    self.assertTrue(announced in words_of(readme),
                                    f"{readme} does not say of {place} command: {announced}")
        said = [found for readme in ("README.md", "converters/README.md", "tests/README.md")
                for found in re.findall(r"\S+ minutes", words_of(readme))]
        self.assertEqual([words for words in said if words != "CPU minutes"], [])


if __name__ == "__main__":
    unittest.main()
