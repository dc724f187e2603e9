"""samples/README.md, the list of samples: it is in the tree because people read the folder there; a test compares."""
import pathlib
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "samples"))
import layout  # noqa: E402

GALLERY_COLUMNS = 3
ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()


def number_in_words(number):
    """A number below a hundred, as a sentence begins with it."""
    words = ONES[number] if number < 20 else TENS[number // 10 - 2] + ("-" + ONES[number % 10] if number % 10 else "")
    return words.capitalize()


def page():
    """The list of samples: a picture, what it is, and what to look at, three in a row."""
    text = "# Samples\n\n*`resources/docs/make samples` makes this page; what it says comes from the card of each sample.*\n\n"
    text += ("%s small programs, each with its own data and seconds to run. `croton run samples/NAME/NAME.py` runs one, and `croton-studio` opens them "
             "from its first page, most as they were recorded. The page of a sample, which its picture leads to, says what to look at. "
             "[How to add a sample](../resources/docs/extending.md#a-sample) is a page for authors.\n\n") % number_in_words(len(layout.samples()))
    text += "|%s\n|%s\n" % (" |" * GALLERY_COLUMNS, "---|" * GALLERY_COLUMNS)
    cells = ["[![The graph of %s](../resources/screenshots/samples/%s.png)](%s/README.md)<br>%d. **[%s](%s/README.md)**: %s.<br>%s" % (
        each.name, each.name, each.name, each.card["order"], each.card["title"], each.name, each.card["subtitle"], each.card["sees"]) for each in layout.samples()]
    for first in range(0, len(cells), GALLERY_COLUMNS):
        text += "| %s |\n" % " | ".join(cell.replace("|", "\\|") for cell in cells[first:first + GALLERY_COLUMNS])
    return text.rstrip() + "\n"
