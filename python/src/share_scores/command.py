"""The command `share-scores`."""

import argparse
import sys

from .errors import ShareError
from .release import Release

MOST_LINES = 40


def verify(options: argparse.Namespace) -> int:
    with Release(options.release, digest=options.digest, manifest_digest=options.manifest_digest) as release:
        result = release.verify()
    for line in result.findings[:MOST_LINES]:
        print(line)
    print(f"{result.values} values, {len(result.findings)} of them differ")
    return 0 if result.ok else 1


def page(options: argparse.Namespace) -> int:
    with Release(options.release, digest=options.digest, manifest_digest=options.manifest_digest) as release:
        text = release.page(options.family, options.key)
    if text is None:
        raise ShareError(f"the release has no page {options.key} in {options.family}")
    sys.stdout.buffer.write(text)
    return 0


def parser() -> argparse.ArgumentParser:
    main = argparse.ArgumentParser(prog="share-scores", description="Read and verify SHARE scores of datasets.")
    commands = main.add_subparsers(required=True, metavar="COMMAND")
    of_release = argparse.ArgumentParser(add_help=False)
    of_release.add_argument("release", help="folder or URL of a release")
    of_release.add_argument("--digest", help="release digest that you expect")
    of_release.add_argument("--manifest-digest", help="sha256 of the manifest, from a channel that you trust")
    one = commands.add_parser("verify", parents=[of_release], help="recompute a release, and report every difference")
    one.set_defaults(run=verify)
    one = commands.add_parser("page", parents=[of_release], help="print one page of a release")
    one.add_argument("family", help="such as 2.0/record")
    one.add_argument("key", help="such as the id of a record")
    one.set_defaults(run=page)
    return main


def main(arguments: list[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except ShareError as error:
        print(f"share-scores: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
