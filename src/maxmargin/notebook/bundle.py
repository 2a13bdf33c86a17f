"""One module from many, for front ends that take a single one."""

import json
import re
from pathlib import Path

IMPORT = re.compile(r'(?<=from )"(\.[\w./]*/)(\w+\.js)"')

# Each module becomes a blob, whose address takes the place of its name in the modules
# that import it; these come later.
LOADER = """\
const sources = {sources};
const urls = {{}};
for (const [name, text] of Object.entries(sources)) {{
  const address = (_, other) => `from "${{urls[other]}}"`;
  const code = text.replace(/from "\\.\\/([\\w.]+)"/g, address);
  urls[name] = URL.createObjectURL(new Blob([code], {{ type: "text/javascript" }}));
}}
export default async () => {{
  const {{ render }} = await import(urls[{entry}]);
  return {{ render }};
}};
"""


def bundle(entry: Path) -> str:
    """Return a module that does what the entry does, with all that it imports."""
    sources: dict[str, str] = {}

    def add(path: Path) -> None:
        text = path.read_text("utf-8")
        for folder, name in IMPORT.findall(text):
            if name not in sources:
                add(path.parent / folder / name)
        sources[path.name] = IMPORT.sub(r'"./\2"', text)

    add(entry)
    return LOADER.format(sources=json.dumps(sources), entry=json.dumps(entry.name))
