#!/usr/bin/env python3
"""style.py LAYERS FILE...: the rules of our C sources that no other tool checks.

Messages: primary ones start lower case (or with an acronym) and end without a
full stop; details and hints are sentences; an error has an SQLSTATE.  Sizes: no
file above 600 lines, no function above 80 outside its tables.  Words: no
unbounded string functions, no open ends, and below the layer line nothing of
the server.  Prints file:line: what, and fails if it printed anything.
"""

import re
import sys

MAX_FILE = 600
MAX_FUNCTION = 80
LINE = 3  # the highest layer below the line

# function: (kind of text, arguments that hold it)
TEXTS = {
    "errmsg": ("message", (0,)),
    "errmsg_internal": ("message", (0,)),
    "errmsg_plural": ("message", (0, 1)),
    "errcontext": ("message", (0,)),
    "cfdw_fail": ("message", (2,)),
    "errdetail": ("sentence", (0,)),
    "errdetail_internal": ("sentence", (0,)),
    "errdetail_log": ("sentence", (0,)),
    "errdetail_plural": ("sentence", (0, 1)),
    "errhint": ("sentence", (0,)),
    "errhint_internal": ("sentence", (0,)),
    "errhint_plural": ("sentence", (0, 1)),
    "cfdw_detail": ("sentence", (1,)),
    "cfdw_hint": ("sentence", (1,)),
}
CAPITALIZED = ("OAuth", "PostgreSQL")  # besides words all in capitals
NOT_ERRORS = re.compile(r"(DEBUG[1-5]|LOG|LOG_SERVER_ONLY|COMMERROR|INFO|NOTICE|WARNING)$")
UNBOUNDED = {"strcpy", "strcat", "sprintf", "vsprintf", "gets"}
SERVER = re.compile(r"ereport|elog|errsave|PG_TRY|MemoryContext\w*|DefineCustom\w+|CHECK_FOR_INTERRUPTS|SPI_\w+")
PALLOC = re.compile(r"palloc\w*|repalloc\w*|pfree|pstrdup|psprintf|makeStringInfo|initStringInfo|appendStringInfo\w*")
OPEN_END = re.compile(r"\b(TODO|FIXME|XXX)\b")

TOKEN = re.compile(
    r"""(?P<comment>/\*.*?\*/|//[^\n]*)
    |(?P<directive>^[ \t]*\#(?:\\\n|/\*.*?\*/|[^\n])*)
    |(?P<string>"(?:\\.|[^"\\\n])*")
    |(?P<char>'(?:\\.|[^'\\\n])+')
    |(?P<word>[A-Za-z_]\w*)
    |(?P<number>\d[\w.]*)
    |(?P<mark>\S)""",
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)


class Token:
    def __init__(self, kind, text, line, alternative):
        self.kind = kind
        self.text = text
        self.line = line
        self.alternative = alternative  # in an #else: its braces are there twice

    def is_mark(self, marks):
        return self.kind == "mark" and self.text in marks


def tokens_of(source):
    line, done, branches, tokens = 1, 0, [], []
    for match in TOKEN.finditer(source):
        line += source.count("\n", done, match.start())
        done = match.start()
        kind, text = match.lastgroup, match.group()
        if kind == "directive":
            name = re.match(r"\s*#\s*(\w*)", text).group(1)
            if name in ("if", "ifdef", "ifndef"):
                branches.append(False)
            elif name in ("else", "elif") and branches:
                branches[-1] = True
            elif name == "endif" and branches:
                branches.pop()
        tokens.append(Token(kind, text, line, any(branches)))
    return tokens


class Checker:
    def __init__(self, path, layer, palloc):
        self.path = path
        self.module = re.sub(r".*/|\.[ch]$", "", path)
        self.layer = layer.get(self.module, LINE + 1)
        self.palloc = self.module in palloc
        with open(path, encoding="utf-8") as file:
            self.source = file.read()
        tokens = tokens_of(self.source)
        self.comments = [t for t in tokens if t.kind == "comment"]
        self.code = [t for t in tokens if t.kind not in ("comment", "directive")]
        self.found = []

    def complain(self, line, text):
        self.found.append((line, text))

    def arguments(self, start):
        """The arguments of the call whose "(" is code[start], as lists of tokens."""
        depth, out = 0, [[]]
        for token in self.code[start:]:
            if token.is_mark("([{"):
                depth += 1
                if depth == 1:
                    continue
            elif token.is_mark(")]}"):
                depth -= 1
                if depth == 0:
                    break
            if depth == 1 and token.is_mark(","):
                out.append([])
            else:
                out[-1].append(token)
        return out

    @staticmethod
    def texts(argument):
        """The string constants of an argument, adjacent ones joined: both of "c ? a : b"."""
        out, text, line = [], None, 0
        for token in argument:
            piece = None
            if token.kind == "string":
                piece = token.text[1:-1]
            elif token.kind == "word" and re.match(r"U?INT64_FORMAT$|PRI[a-zA-Z]+\d*$", token.text):
                piece = "%d" if token.text.endswith("FORMAT") else "d"
            if piece is not None:
                line = line if text is not None else token.line
                text = (text or "") + piece
            elif text is not None:
                out.append((line, text))
                text = None
        if text is not None:
            out.append((line, text))
        return out

    def check_message(self, line, text):
        first = re.match(r"[A-Za-z]\w*", text)
        word = first.group() if first else ""
        if word[:1].isupper() and not (len(word) > 1 and word.upper() == word) and word not in CAPITALIZED:
            self.complain(line, 'message starts upper case: "%s"' % text)
        if text.endswith((".", "!")):
            self.complain(line, 'message ends with a full stop: "%s"' % text)
        if "\\n" in text:
            self.complain(line, 'message with a line break: "%s"' % text)

    def check_sentence(self, line, text):
        if text == "%s":
            return
        if text[:1].islower() or text[:1] == " ":
            self.complain(line, 'detail or hint starts lower case: "%s"' % text)
        # what is quoted at the end, behind a colon, ends as it likes
        if not text.endswith((".", "?", "!")) and not re.search(r": (%[\w.*]+)+$", text):
            self.complain(line, 'detail or hint ends without a full stop: "%s"' % text)

    def check_call(self, token, arguments):
        name = token.text
        level = "".join(t.text for t in arguments[0])
        if name in TEXTS:
            kind, places = TEXTS[name]
            for place in places:
                for line, text in self.texts(arguments[place] if place < len(arguments) else []):
                    (self.check_message if kind == "message" else self.check_sentence)(line, text)
        elif name in ("ereport", "ereport_domain") and not NOT_ERRORS.match(level):
            if not any(t.kind == "word" and t.text.startswith("errcode") for a in arguments for t in a):
                self.complain(token.line, "%s without an errcode" % name)
        elif name == "elog" and not NOT_ERRORS.match(level):
            self.complain(token.line, "elog(%s): use ereport with an errcode" % level)
        elif name in UNBOUNDED:
            self.complain(token.line, "%s knows no bound" % name)

    def check_calls(self):
        for i, token in enumerate(self.code):
            if token.kind != "word":
                continue
            if i + 1 < len(self.code) and self.code[i + 1].is_mark("("):
                self.check_call(token, self.arguments(i + 1))
            if self.layer <= LINE and self.module != "base":
                if SERVER.fullmatch(token.text) or (PALLOC.fullmatch(token.text) and not self.palloc):
                    self.complain(token.line, "%s below the layer line" % token.text)

    def function_name(self, brace):
        """The function whose body starts at code[brace], or None."""
        i, depth = brace - 1, 0
        if i < 0 or not self.code[i].is_mark(")"):
            return None
        while i >= 0:
            depth += {")": 1, "(": -1}.get(self.code[i].text, 0) if self.code[i].kind == "mark" else 0
            if depth == 0:
                break
            i -= 1
        return self.code[i - 1].text if i > 0 else None

    def check_functions(self):
        depth, name, start, table, tables = 0, None, 0, None, 0
        for i, token in enumerate(self.code):
            if token.alternative or not token.is_mark("{}"):
                continue
            if token.text == "{":
                if depth == 0:
                    name, start, tables = self.function_name(i), token.line, 0
                elif name and table is None and self.code[i - 1].is_mark("="):
                    table = (depth, token.line)
                depth += 1
                continue
            depth -= 1
            if table is not None and depth == table[0]:
                tables += token.line - table[1]
                table = None
            length = token.line - start + 1 - tables
            if depth == 0 and name and length > MAX_FUNCTION:
                self.complain(start, "function %s has %d lines, %d are allowed" % (name, length, MAX_FUNCTION))
        if depth != 0:
            self.complain(1, "braces do not match; functions are not checked")

    def check_text(self):
        lines = self.source.count("\n")
        if lines > MAX_FILE:
            self.complain(lines, "file has %d lines, %d are allowed" % (lines, MAX_FILE))
        for comment in self.comments:
            match = OPEN_END.search(comment.text)
            if match:
                self.complain(comment.line + comment.text.count("\n", 0, match.start()), "open end: %s" % match.group())

    def run(self):
        self.check_text()
        self.check_calls()
        self.check_functions()
        for line, text in sorted(self.found):
            print("%s:%d: %s" % (self.path, line, text))
        return not self.found


def read_layers(path):
    with open(path, encoding="utf-8") as file:
        rows = [line.split() for line in file]
    layer = {module: int(row[0]) for row in rows if row and row[0].isdigit() for module in row[1:]}
    return layer, {module for row in rows if row[:1] == ["palloc"] for module in row[1:]}


def main():
    layer, palloc = read_layers(sys.argv[1])
    good = [Checker(path, layer, palloc).run() for path in sys.argv[2:]]
    return 0 if good and all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
