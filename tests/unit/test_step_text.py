"""The grammar of a step: by value, by its errors, and as a law."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from perturb.errors import ParameterError
from perturb.operators.gain import Gain
from perturb.operators.identity import Identity
from perturb.operators.silence import Silence
from perturb.plan.step import Step
from perturb.plan.step_text import format_step, parse_step
from perturb.span import Span
from tests.strategies.records import span_lists, steps, texts
from tests.unit.specimens import Cutting, Tangle

pytestmark = pytest.mark.usefixtures("known_specimens")


@pytest.fixture(scope="module")
def known_specimens():
    """Know the operator `tangle` for the whole module: Hypothesis resets no fixture."""
    from perturb.operators import registry

    known = registry._foreign
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "_foreign", lambda: {**known(), "tangle": Tangle})
        yield


@pytest.mark.parametrize(
    ("text", "operator", "spans"),
    [
        ("identity", Identity(), ()),
        ("gain:gain_db=10@1.0-2.5", Gain(gain_db=10), (Span(1.0, 2.5),)),
        ("gain:gain_db=10@1-2+4.5-5", Gain(gain_db=10), (Span(1, 2), Span(4.5, 5))),
        ("gain:gain_db=-8", Gain(gain_db=-8), ()),
        ("gain:gain_db=+8", Gain(gain_db=8), ()),
        ("gain:gain_db=1e1", Gain(gain_db=10), ()),
        ("gain: gain_db = 10 @0-.5", Gain(gain_db=10), (Span(0, 0.5),)),
        ("gain:gain_db=10@1.-2.", Gain(gain_db=10), (Span(1, 2),)),
        ("gain:gain_db=10@1e-3-2e-3", Gain(gain_db=10), (Span(0.001, 0.002),)),
        ("gain:gain_db=10@1-1e+1+2e+1-30", Gain(gain_db=10), (Span(1, 10), Span(20, 30))),
        ("silence@0-1", Silence(), (Span(0, 1),)),
        ("silence:fill=noise", Silence(fill="noise"), ()),
        ('silence:fill="noise"', Silence(fill="noise"), ()),
        ("silence:fill='noise'", Silence(fill="noise"), ()),
        ("silence:fill=noise\n", Silence(fill="noise"), ()),
        ("silence:fill=noise,duration_s=30", Silence(fill="noise", duration_s=30), ()),
        ("tangle@3", Tangle(), (Span(3.0),)),
        ("tangle@3+4-5", Tangle(), (Span(3.0), Span(4.0, 5.0))),
    ],
)
def test_names_fields_and_spans(text, operator, spans):
    assert parse_step(text) == Step(operator=operator, spans=spans)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # A TOML value, else a bare string.
        ("flag=true", {"flag": True}),
        ("count=0x1f", {"count": 31}),
        ("numbers=[1, 2.5, 3e2]", {"numbers": (1.0, 2.5, 300.0)}),
        ("""words=["a, b", 'c', "d\\"]"]""", {"words": ("a, b", "c", 'd"]')}),
        ("text=", {"text": ""}),
        ("text=two words", {"text": "two words"}),
        ("text=3 #1", {"text": "3 #1"}),
        ("text='3'", {"text": "3"}),
        ('text="tab\\there \\u00e9"', {"text": "tab\there é"}),
        ("text='no \\escape'", {"text": "no \\escape"}),
        ('text="ends in \\\\",count=2', {"text": "ends in \\", "count": 2}),
        ('text="a \\" and, a comma",count=2', {"text": 'a " and, a comma', "count": 2}),
        # Dotted keys and tables.
        ("params.min_bitrate=8", {"params": {"min_bitrate": 8.0}}),
        ("params.a=1,params.b=2", {"params": {"a": 1.0, "b": 2.0}}),
        ('params={a = 1, "b c" = 2}', {"params": {"a": 1.0, "b c": 2.0}}),
        ("cutting.depth=2,cutting.label=x", {"cutting": Cutting(depth=2, label="x")}),
        ("cutting.more.a=1", {"cutting": Cutting(more={"a": 1.0})}),
        ("cutting.more.a=.5", {"cutting": Cutting(more={"a": 0.5})}),
        ("cutting.more.a=-1.e-3", {"cutting": Cutting(more={"a": -0.001})}),
        # file= is short for ref="file:…".
        ("file=dog.wav", {"ref": "file:dog.wav"}),
        ("file=dog.wav,count=2", {"ref": "file:dog.wav", "count": 2}),
        ("ref=file:dog.wav", {"ref": "file:dog.wav"}),
        ("ref=bank:dog#7", {"ref": "bank:dog#7"}),
        ('file="one, two.wav"', {"ref": "file:one, two.wav"}),
        ("file='dog@3'", {"ref": "file:dog@3"}),
        ('file="take @1.5-2"', {"ref": "file:take @1.5-2"}),
        ("file=user@host.wav", {"ref": "file:user@host.wav"}),
        ("file=bob's dog.wav,count=2", {"ref": "file:bob's dog.wav", "count": 2}),
        ('file=12" remix.wav,count=2', {"ref": 'file:12" remix.wav', "count": 2}),
        ("file=take [2].wav,count=2", {"ref": "file:take [2].wav", "count": 2}),
        ("file=take [2.wav,count=2", {"ref": "file:take [2.wav", "count": 2}),
        ("file=take 2].wav,count=2", {"ref": "file:take 2].wav", "count": 2}),
        ("file=[live] x.wav,count=2", {"ref": "file:[live] x.wav", "count": 2}),
        ("file=a=b.wav", {"ref": "file:a=b.wav"}),
        ("file=C:/x.wav", {"ref": "file:C:/x.wav"}),
        # A name that looks like a TOML value stays a name.
        ("file=1e3", {"ref": "file:1e3"}),
        ("file=.5", {"ref": "file:.5"}),
        ("file=007.0", {"ref": "file:007.0"}),
        ("file=1.50", {"ref": "file:1.50"}),
        ("file=true", {"ref": "file:true"}),
        ("file=2024-05-01", {"ref": "file:2024-05-01"}),
        ("file=3#5", {"ref": "file:3#5"}),
        ("file=犬 🐕.wav", {"ref": "file:犬 🐕.wav"}),
    ],
)
def test_values(text, expected):
    assert parse_step(f"tangle:{text}").operator == Tangle(**expected)


def test_a_span_after_a_quoted_path_that_ends_like_one():
    step = parse_step("tangle:file='dog@3'@4-5")
    assert step.operator.ref == "file:dog@3"
    assert step.spans == (Span(4.0, 5.0),)


def test_an_unquoted_path_that_ends_like_a_span_is_one():
    step = parse_step("tangle:file=dog@3")
    assert step.operator.ref == "file:dog"
    assert step.spans == (Span(3.0),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'' is not the name of an operator"),
        ("tangle:file=caf\udce9.wav", "is not valid UTF-8; rename what it names"),
        ("Gain", "'Gain' is not the name of an operator"),
        ("gain@1-2:gain_db=3", "'gain@1-2' is not the name"),
        ("gain:", "nothing follows the colon"),
        ("gain:@1-2", "nothing follows the colon"),
        ("gain:gain_db", "'gain_db' is not field=value"),
        ("gain:gain_db=3,", "'' is not field=value"),
        ("gain:gain_db=3,,x=1", "'' is not field=value"),
        ("gain:=3", "'=3' is not field=value"),
        ("gain:gain db=3", "'gain db=3' is not field=value"),
        ("gain:gain_db=1,gain_db=2", "gain_db is given twice"),
        ("gain:op=silence", "op is given twice"),
        ("tangle:params=3,params.a=1", "params is both a value and a table"),
        ("tangle:params.a=1,params.a.b=1", "a is both a value and a table"),
        ("tangle:file=a,ref=b", "ref is given twice"),
        ("tangle:words=[1, 2", "a closing ] is missing"),
        ("tangle:params={a=1", "a closing } is missing"),
        ('tangle:text="open', 'a closing " is missing'),
        ("tangle:file='tis.wav", "a closing ' is missing"),
        ("tangle:text='a' b", "'a' b does not read as a quoted string"),
        ("gian:gain_db=3", "no operator is called 'gian'; did you mean 'gain'"),
        ("gain:gian_db=3", "gian_db is not a field of it; did you mean 'gain_db'"),
        ("gain:gain_db=99", "gain_db is 99; accepted: a finite number, -60 to 60 dB"),
        ("gain:gain_db=nan", "gain_db is nan"),
        ("gain:gain_db=inf", "gain_db is inf"),
        ("gain:gain_db=loud", "gain_db is 'loud'"),
        ("gain:gain_db=3@1-", "gain_db is '3@1-'"),
        ("gain:gain_db=3@-1", "gain_db is '3@-1'"),
        ("gain:gain_db=3@2", "gain: span @2 has no stop"),
        ("gain:gain_db=3@2-1", "span @2-1 has no length"),
        ("gain:gain_db=3@2-2", "span @2-2 has no length"),
        ("gain:gain_db=3@1-2+1.5-3", "gain: spans @1-2 and @1.5-3 overlap"),
        ("gain:gain_db=3@0-1e999", "inf"),
        ("silence:duration_s=30@1-2", "silence: these parameters are for the whole clip"),
        ("tangle@2+2-3+2.5", "overlap"),
    ],
)
def test_errors_are_one_line(text, message):
    with pytest.raises(ParameterError) as caught:
        parse_step(text)
    assert message in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_two_points_and_spans_at_one_time_are_compared_without_a_stop():
    step = parse_step("tangle@2+2")
    assert step.spans == (Span(2.0), Span(2.0))


@given(steps())
def test_what_is_formatted_is_read_back(step):
    assert parse_step(format_step(step), step.role) == step


names = st.text("abcxyz_", min_size=1, max_size=6) | texts
awkward = texts | st.sampled_from(
    [
        "true", "1e3", "nan", "2024-05-01", "a,b", "a@3", "@3", "it's", '12"', "[x", "x]", "{", "}",
        "a=b", " lead", "trail ", "#1", "3 #1", "\\", '\\"', '\\",', "\x7f", "\x00", "a\nb",
        "a\r\nb", "\x85", "\u2028", "'", '"', '"""', "file:x@3", "",
        "犬 🐕.wav", "inf", "0x1f", "0755",
    ]
)  # fmt: skip
numbers = st.floats(allow_nan=False, allow_infinity=False)
tangles = st.builds(
    Tangle,
    text=awkward,
    ref=st.none() | awkward,
    count=st.integers(-(2**60), 2**60),
    flag=st.booleans(),
    level_db=st.floats(-1e9, 1e9),
    numbers=st.lists(numbers, max_size=3).map(tuple),
    words=st.lists(awkward, max_size=3).map(tuple),
    params=st.dictionaries(names | awkward, numbers, max_size=3),
    cutting=st.none()
    | st.builds(
        Cutting,
        depth=numbers,
        label=awkward,
        more=st.dictionaries(names | awkward, numbers, max_size=2),
    ),
    cuttings=st.lists(st.builds(Cutting, label=awkward), max_size=2).map(tuple),
)


@given(tangles, span_lists(points=True))
@example(Tangle(text="\x7f,", words=("\x7f", '\\",')), ())
@example(Tangle(params={"a b": 1.0, "c": 2.0}, cutting=Cutting(more={})), ())
def test_fields_of_every_kind_are_read_back(operator, spans):
    step = Step(operator=operator, spans=spans)
    text = format_step(step)
    assert parse_step(text) == step, text


@given(st.text(max_size=30) | st.text("gain:_db=@-+,'\"[]{}. 01e#\\\n", max_size=30))
def test_no_text_breaks_the_parser(text):
    for whole in (text, f"gain:{text}", f"tangle:text={text}", f"gain:gain_db=3@{text}"):
        try:
            parse_step(whole)
        except ParameterError as error:
            assert str(error)  # noqa: PT017  (either outcome is right)


@pytest.mark.parametrize(
    "text",
    [
        "silence@-1-2",
        "silence@",
        "gain@abc",
        "gain:gain_db=3@-1-2",
        "gain:gain_db=3@1-",
        "gain:gain_db=3@1-nan",
        "gain:gain_db=3@",
    ],
)
def test_a_bad_span_is_called_one(text):
    with pytest.raises(ParameterError, match=r"is not a span; accepted: @start"):
        parse_step(text)


def test_a_path_with_an_at_sign_is_not_called_a_bad_span():
    with pytest.raises(ParameterError) as caught:
        parse_step("gain:gain_db=a@b.wav")
    assert "span" not in str(caught.value)


def test_a_number_of_too_many_digits_is_refused_as_a_value():
    with pytest.raises(ParameterError, match="gain_db is '1000"):
        parse_step("gain:gain_db=1" + "0" * 5000)
    with pytest.raises(ParameterError, match="gain_db is 1000"):
        parse_step("gain:gain_db=1" + "0" * 400)
