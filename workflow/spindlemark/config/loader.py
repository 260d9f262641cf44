"""A strict YAML loader: no tags, no duplicate keys, and limits that protect the reader from malicious files."""

from typing import Any

import yaml
from yaml.composer import Composer
from yaml.constructor import ConstructorError
from yaml.nodes import MappingNode, Node, ScalarNode

MOST_DEPTH = 50
MOST_NODES = 100_000  # aliases expanded
LONGEST_NUMBER = 100


class Loader(Composer, yaml.CSafeLoader):
    """libyaml's parser (ten times faster than Python's) with Python's composer (libyaml's can overflow the stack)."""

    def __init__(self, text: str) -> None:
        yaml.CSafeLoader.__init__(self, text)
        Composer.__init__(self)
        self._depth = self._nodes = 0
        self._sizes: dict[str, int] = {}

    def compose_node(self, parent: Node | None, index: Any) -> Node:
        """Compose a value with everything below it, and count both."""
        event: Any = self.peek_event()
        before = self._nodes
        if getattr(event, "tag", None) is not None:
            raise _error("tags are not used here", event)
        self._depth += 1
        if self._depth > MOST_DEPTH:
            raise _error(f"is nested more than {MOST_DEPTH} deep", event)
        node: Any = super().compose_node(parent, index)
        self._depth -= 1
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in self._sizes:
                raise _error(f"the alias {event.anchor} is inside the value that it refers to", event)
            self._nodes += self._sizes[event.anchor]
        else:
            self._nodes += 1
            if event.anchor is not None:
                self._sizes[event.anchor] = self._nodes - before
        if self._nodes > MOST_NODES:
            raise _error(f"holds more than {MOST_NODES} values", event)
        return node

    def compose_mapping_node(self, name: Any) -> MappingNode:
        """Compose a mapping without duplicate keys."""
        node = super().compose_mapping_node(name)
        seen = set()
        for key, _ in node.value:
            if (key.tag, written := str(key.value)) in seen:
                raise _error(f"duplicate key {written[:LONGEST_NUMBER]}", key)
            seen.add((key.tag, written))
        return node

    def construct_number(self, node: ScalarNode) -> int | float:
        """Construct a number of limited length: YAML reads 1:30 as 90, and Python rejects integers with thousands of digits."""
        if len(node.value) > LONGEST_NUMBER:
            raise _error(f"a number has more than {LONGEST_NUMBER} characters", node)
        try:
            return self.construct_yaml_int(node) if node.tag.endswith(":int") else self.construct_yaml_float(node)
        except (ValueError, OverflowError) as error:
            raise _error(str(error), node) from None


def _error(problem: str, place: Any) -> ConstructorError:
    return ConstructorError(None, None, problem, place.start_mark)


def _number(loader: Any, node: Any) -> int | float:
    return loader.construct_number(node)


def _text(loader: Any, node: Any) -> str:
    return loader.construct_yaml_str(node)


for _tag in ("int", "float"):
    Loader.add_constructor(f"tag:yaml.org,2002:{_tag}", _number)
# A date stays text: a model that needs a date parses it.
Loader.add_constructor("tag:yaml.org,2002:timestamp", _text)
