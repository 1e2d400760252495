#!/usr/bin/env python3
"""Data of the benchmark: generate.py DIRECTORY

Writes 200,000 records, always the same: as pages page-1.json … page-200.json
of an API (about 89 MB), and as rows.copy, the same rows for COPY.
"""
import json
import random
import sys

PAGES = 200
PAGE_SIZE = 1000
WORDS = ("walk page record key cursor table checkpoint commit batch row tail token stream index "
         "replica vacuum trigger função naïve 東京 Grüße").split()


def timestamp(seconds):
    days, rest = divmod(seconds, 86400)
    return "2024-%02d-%02dT%02d:%02d:%02dZ" % (days // 28 % 12 + 1, days % 28 + 1, rest // 3600, rest // 60 % 60, rest % 60)


def record(number, chance):
    def words(count):
        return " ".join(chance.choices(WORDS, k=count))

    created = number * 97 % (336 * 86400)
    return {
        "id": 10_000_000_000 + number,
        "title": words(6),
        "comments": chance.randrange(1000),
        "score": "%d.%02d" % (chance.randrange(10000), chance.randrange(100)),
        "open": chance.random() < 0.5,
        "created_at": timestamp(created),
        "updated_at": timestamp(created + chance.randrange(86400)),
        "user": {"login": "user%d" % chance.randrange(50000), "id": chance.randrange(10**9), "site_admin": False},
        "repository": "org/%s" % chance.choice(WORDS),
        "state": chance.choice(["new", "triaged", "done"]),
        "body": words(11),
        "labels": [{"name": chance.choice(WORDS), "color": "%06x" % chance.randrange(1 << 24)} for _ in range(2)],
    }


def to_json(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def row(r):
    """The record's columns in COPY's text format; no value needs an escape."""
    return "\t".join([
        str(r["id"]), r["title"], str(r["comments"]), r["score"], "t" if r["open"] else "f", r["created_at"], r["updated_at"],
        r["user"]["login"], r["repository"], r["state"], r["body"], to_json(r["labels"])])


def main():
    directory = sys.argv[1]
    chance = random.Random(1)
    with open(f"{directory}/rows.copy", "w", encoding="utf-8") as rows:
        for page in range(1, PAGES + 1):
            records = [record((page - 1) * PAGE_SIZE + i, chance) for i in range(PAGE_SIZE)]
            # numeric values go out as JSON numbers with their trailing zeros
            texts = [to_json(r).replace('"score":"%s"' % r["score"], '"score":' + r["score"]) for r in records]
            following = to_json(str(page + 1) if page < PAGES else None)
            with open(f"{directory}/page-{page}.json", "w", encoding="utf-8") as file:
                file.write('{"data":[%s],"next_cursor":%s}' % (",".join(texts), following))
            rows.writelines(row(r) + "\n" for r in records)


main()
