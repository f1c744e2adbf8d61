"""What the static analysis must see of the corpus in tests/corpus, and how seldom it may raise a false alarm."""
import pytest

from run_corpus import LANGUAGES, measure

MUST_SEE, MOST_ALARMS, MUST_LEVEL = 0.97, 0.02, 0.97


@pytest.mark.parametrize("language", LANGUAGES)
def test_corpus(language, binary):
    figures, misses = measure(binary, language)
    assert figures["recall"] >= MUST_SEE, misses
    assert figures["false_alarms"] <= MOST_ALARMS, misses
    assert figures["levels"] >= MUST_LEVEL, misses
    assert figures["hostile"] >= 300 and figures["harmless"] >= 300
