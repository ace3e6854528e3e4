"""A plain model of MATCH, written from the manual and not from the Go code.

    model.py TEXTS SIMPLIFIED words
    model.py TEXTS SIMPLIFIED questions COUNT SEED

TEXTS has one JSON object per line, whose field text is a text. SIMPLIFIED has pairs of
Chinese letters: a traditional letter and its simplified one.

words prints the terms of each text as a JSON array. A term that is joined to the term
before it begins with +.

questions makes COUNT questions out of the texts. It prints a JSON array for each: the
question, and the numbers of the lines whose text matches it, from 0.
"""
import json, random, re, sys
from bisect import bisect
from collections import defaultdict
from functools import cache
from unicodedata import category, name, normalize

simplified = {}
RUNS = {"THAI", "LAO", "KHMER", "MYANMAR", "HANGUL"}

# --- What a word is ---


@cache
def script(c):
    return name(c, "").replace("-", " ").split(" ")[0]


@cache
def sort(c):
    """C: letter of Chinese or Japanese, S: letter of another script without blanks, L: letter,
    N: digit, M: mark, Q: apostrophe, blank: white space, full stop: any other character."""
    kind = category(c)[0]
    if c in "'’ʼ":
        return "Q"
    if c.isspace():
        return " "
    if c in "ー々〆〇〻𖿣" or kind in "LNM" and script(c) in {"CJK", "HIRAGANA", "KATAKANA", "HENTAIGANA", "HANGZHOU"}:
        return "C"
    if kind in "LM" and script(c) in RUNS:
        return "S"
    return kind if kind in "LNM" else "."


def fold(text):
    """The text with its letters as they are compared."""
    if text.isascii():
        return text.lower()
    out, base = [], " "
    for c in normalize("NFKD", normalize("NFKC", text).casefold()):
        if category(c) == "Cf" or "VARIATION SELECTOR" in name(c, "") or c == "ـ":
            continue
        if category(c)[0] != "M" or script(c) in RUNS:
            base = c
        elif script(base) in {"LATIN", "GREEK"} or base == "е" and c == "\u0308":
            continue  # an accent
        elif script(c) in {"HEBREW", "ARABIC"} and len(normalize("NFC", base + c)) > 1:
            continue  # a point; others make another letter of the one before
        out.append("i" if c == "ı" else c)
    return "".join(simplified.get(c, c) for c in normalize("NFC", "".join(out)))


def words(text):
    """The terms of a text: pairs of the letters, and whether the term is joined to the one before."""
    text = fold(text)
    sorts = "".join(map(sort, text))
    for m in reversed(list(re.finditer("(?<=L)(M*)Q(?=L)", sorts))):
        i = m.end() - 1
        text, sorts = text[:i] + text[i + 1:], sorts[:i] + sorts[i + 1:]
    out, before = [], ""
    for m in re.finditer("([LNM]+)|([CS])M*|([ .Q]+)", sorts):
        if m[1]:
            out.append((m[0] and text[m.start():m.end()], False))
            before = ""
        elif m[2]:
            out.append((text[m.start()], before in ("C", "S") or before == "blank" and m[2] == "C"))
            before = m[2]
        else:
            before = "blank" if before == "C" and m[3].isspace() else ""
    return out


# --- What a question asks for ---

TOKEN = re.compile(r'\s+|NEAR[(（]|[(（]|[)）]|["“”„][^"“”]*["“”]\*?|[^\s()（）"“”„*]+\*?|\*')


def phrase(token):
    """The terms of a phrase: triples of the letters, whether joined, and whether only a beginning."""
    terms = words(token)
    prefix = bool(terms) and token[-1] == "*" and sort(terms[-1][0][-1]) not in "CS"
    return [(w, joined and i > 0, prefix and i == len(terms) - 1) for i, (w, joined) in enumerate(terms)]


def begins(token):
    """Whether a word, a quote or a bracket begins with the token."""
    return bool(token) and (token[0] in '"“”„(（=' or token[:5] in ("NEAR(", "NEAR（") or any(sort(c) in "CSLNM" for c in fold(token[0])))


def parse(question):
    """The tree: ("or", trees), ("and", trees), ("not", tree) or ("near", phrases, number)."""
    tokens = TOKEN.findall(question)[::-1]

    def any_of():
        trees = [all_of()]
        while tokens and tokens[-1] == "OR":
            tokens.pop()
            trees.append(all_of())
        return "or", trees

    def all_of():
        trees, blank = [], True
        while tokens and tokens[-1] not in ("OR", ")", "）"):
            t = tokens.pop()
            after = t[1:] or tokens[-1:] and tokens[-1]
            minus = blank and t[0] == "-" and begins(after)
            blank = t.isspace() or t[-1] in "(（"
            if minus:
                t = t[1:] or tokens.pop()
            if t.isspace():
                blank = True
                continue
            tree = item(t)
            if tree:
                trees.append(("not", tree) if minus else tree)
        return "and", trees

    def item(t):
        if t in ("(", "（"):
            tree = any_of()
            tokens.pop()
            return tree
        if t[:4] == "NEAR" and len(t) == 5:
            inside = ""
            while tokens[-1] not in (")", "）"):
                inside += tokens.pop()
            tokens.pop()
            inside, _, number = inside.rpartition(",")
            return "near", [phrase(t) for t in TOKEN.findall(inside) if not t.isspace()], int(number)
        terms = phrase(t)
        return terms and ("near", [terms], 0)

    return any_of()


class Texts:
    def __init__(self, texts):
        self.joined = []  # of each text, whether its terms are joined
        self.places = []  # of each text, where each term stands
        self.having = defaultdict(set)  # the texts of each term
        for i, terms in enumerate(map(words, texts)):
            self.joined.append([joined for _, joined in terms])
            self.places.append(defaultdict(list))
            for at, (w, _) in enumerate(terms):
                self.places[i][w].append(at)
                self.having[w].add(i)

    def texts(self, tree):
        """The numbers of the texts that match."""
        if tree[0] == "or":
            return set().union(*map(self.texts, tree[1]))
        if tree[0] == "and":
            found = set.intersection(*[self.texts(t) for t in tree[1] if t[0] != "not"])
            return found.difference(*[self.texts(t[1]) for t in tree[1] if t[0] == "not"])
        _, phrases, number = tree
        found = set.intersection(*[self.with_term(t) for ph in phrases for t in ph])
        if len(phrases) == 1 and len(phrases[0]) == 1:
            return found
        return {i for i in found if self.near(i, phrases, number)}

    def with_term(self, term):
        w, _, prefix = term
        return set().union(*[s for v, s in self.having.items() if v.startswith(w)]) if prefix else self.having.get(w, set())

    def spans(self, i, terms):
        """The first and the last term of each place of a phrase in text i."""
        at = None  # where the last term so far may stand
        for w, joined, prefix in terms:
            of = self.places[i]
            here = set().union(*[of[v] for v in of if v.startswith(w)]) if prefix else set(of.get(w, ()))
            if joined:
                here = {k for k in here if self.joined[i][k]}
            at = here if at is None else {k + 1 for k in at} & here
        return [(k - len(terms) + 1, k) for k in at]

    def near(self, i, phrases, number):
        """Whether text i has the phrases, with at most number terms between the first and the last."""
        all_spans = [sorted(self.spans(i, ph)) for ph in phrases]
        if len(phrases) == 1 or not all(all_spans):
            return all(all_spans)
        for first, _ in {span for spans in all_spans for span in spans}:  # the phrase that begins last
            nearest = [spans[bisect(spans, (first, float("inf"))) - 1] for spans in all_spans if spans[0][0] <= first]
            if len(nearest) == len(phrases) and first - min(last for _, last in nearest) - 1 <= number:
                return True
        return False


# --- Questions out of the texts ---


def make(r, texts):
    """One question."""

    def raw(n, line=False):
        """Up to n pieces of a text; line: those around the end of a line."""
        t = r.choice(texts)
        at = r.randrange(len(t) + 1)
        if line:
            at = max(0, t.find("\n", at) - 8)
        pieces = re.sub(r'["“”„()（）*=~]', " ", t[at:at + 40 * n]).split()[1:n + 1]
        return [p.lstrip("-") for p in pieces if any(sort(c) in "CSLN" for c in p.lstrip("-")) and p not in ("OR", "AND", "NOT")]

    def word():
        for _ in range(1000):
            w = raw(1)
            if w:
                return re.sub(",", "", w[0])[:r.choice([3, 12, 12])] if "C" in map(sort, w[0]) else re.sub(",", "", w[0])
        return "a"

    def run():
        """1 to 6 letters of a script without blanks."""
        for _ in range(100):
            t = r.choice(texts)
            m = re.search(r"\w+\s?\w+", t[r.randrange(len(t) + 1):])
            letters = [c for c in m[0] if sort(c) in "CS "] if m else []
            if letters:
                return "".join(letters[:r.randint(1, 6)]).strip() or "a"
        return word()

    def quoted(n, line=False):
        return '"%s"' % " ".join(raw(n, line) or [word()])

    kind = r.randrange(12)
    if kind == 0:
        return word()
    if kind == 1:
        return quoted(r.randint(2, 4))
    if kind == 2:
        return " ".join((raw(40) + [word(), word(), word()])[:3] if r.random() < .5 else raw(3) or [word()])
    if kind == 3:
        return word() + " OR " + r.choice([word(), quoted(2)])
    if kind == 4:
        return word() + " -" + r.choice([word(), quoted(2), "(%s %s)" % (word(), word())])
    if kind == 5:
        w = word()
        return w[:r.randint(1, len(w))].strip(",.'’-") + "*" if w[0].isalnum() else w
    if kind == 6:
        return "NEAR(%s, %d)" % (" ".join(re.sub(",", "", w) for w in [word()] + raw(3)), r.choice([0, 1, 5, 50]))
    if kind == 7:
        return "(%s OR %s) %s" % (word(), word(), word())
    if kind in (8, 9):
        return r.choice(["%s", '"%s"']) % run()
    if kind == 10:
        return quoted(r.randint(2, 5), line=True)
    return quoted(2)[:-2] + '"*'


def main(texts, pairs, deed, count=0, seed=0):
    for line in open(pairs, encoding="utf-8"):
        if line[0] != "#":
            simplified.update(zip(line.strip()[::2], line.strip()[1::2]))
    texts = [json.loads(line)["text"] for line in open(texts, encoding="utf-8")]
    if deed == "words":
        for t in texts:
            print(json.dumps(["+" * joined + w for w, joined in words(t)]))
        return
    model, r = Texts(texts), random.Random(seed)
    for _ in range(int(count)):
        while True:
            question = make(r, texts)
            tree = parse(question)
            if all(tree_has_word(t) for t in tree[1]):
                break
        print(json.dumps([question, sorted(model.texts(tree))]))


def tree_has_word(tree):
    return any(t[0] != "not" and (t[0] == "near" and all(t[1]) or t[0] != "near" and tree_has_word(t)) for t in tree[1])


if __name__ == "__main__":
    main(*sys.argv[1:])
