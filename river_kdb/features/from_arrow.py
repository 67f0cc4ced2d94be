"""Columns of pyarrow arrays, without a look at every cell."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

import numpy as np

from river_kdb.features.column import (
    Column,
    no_values,
    number_keys,
    of_codes,
    of_list,
    of_truths,
)

_WIDTH, _INLINE = 16, 12
"""Bytes of the view of a text, and the longest text that stands in its view."""

_LENGTH = np.uint64(0xFFFFFFFF)


def arrow_columns(table: Any) -> Iterator[tuple[str, Column]]:
    """Give the columns of a pyarrow table with their names.

    Parameters
    ----------
    table
        The table.

    Raises
    ------
    ValueError
        If two columns have one name.
    TypeError
        If a value is unhashable or otherwise impossible.
    """
    names = table.column_names
    if len(set(names)) < len(names):
        raise ValueError(f"the names of the columns are not unique: {names}")
    for name, array in zip(names, table.columns, strict=True):
        yield name, arrow_column(name, array)


def arrow_column(name: Hashable, array: Any) -> Column:
    """Return the column of a pyarrow array.

    Parameters
    ----------
    name
        Name of the column.
    array
        An array, in one piece or several.

    Raises
    ------
    TypeError
        If a value is unhashable or otherwise impossible.
    """
    import pyarrow as pa

    kind, types = array.type, pa.types
    if not len(array) or array.null_count == len(array):
        return no_values(len(array))
    if types.is_integer(kind) or types.is_floating(kind):
        return Column(_numbers(array), None, [])
    if types.is_boolean(kind):
        return of_truths(_whole(array.cast(pa.int8()).fill_null(-1)))
    if _are_texts(kind):
        codes, values = number_texts(array)
        return Column(None, codes, values)
    try:
        coded = _joined(array if types.is_dictionary(kind) else array.dictionary_encode())
    except pa.ArrowNotImplementedError:
        return of_list(name, array.to_pylist())
    return of_codes(name, _codes(coded.indices), coded.dictionary.to_pylist())


def number_texts(array: Any) -> tuple[np.ndarray, list[str]]:
    """Return the codes of texts, -1 where missing, and the texts that they count off.

    Parameters
    ----------
    array
        A pyarrow array of texts, in one piece or several.
    """
    import pyarrow as pa

    if hasattr(pa, "string_view"):
        try:
            found = number_views(_joined(array.cast(pa.string_view())))
        except pa.ArrowNotImplementedError:  # older versions can't cast
            found = None
        if found is not None:
            return found
    coded = _joined(array.dictionary_encode())
    return _codes(coded.indices), coded.dictionary.to_pylist()


def number_views(array: Any) -> tuple[np.ndarray, list[str]] | None:
    """Return codes and texts, as `number_texts`, if all texts are so short that views hold them.

    A view has the length of its text in the first four bytes, then the text, then zeros.

    Parameters
    ----------
    array
        A pyarrow array of views in one piece.
    """
    keys = np.frombuffer(array.buffers()[1], dtype=np.uint64).reshape(-1, 2)
    keys = keys[array.offset : array.offset + len(array)]
    if ((keys[:, 0] & _LENGTH) > _INLINE).any():
        return None
    codes, first = number_keys(keys)
    texts = np.ascontiguousarray(keys[first]).tobytes()
    values = [
        texts[at + 4 : at + 4 + int.from_bytes(texts[at : at + 4], "little")].decode()
        for at in range(0, len(texts), _WIDTH)
    ]
    if array.null_count:
        codes[_whole(array.is_null())] = -1
    return codes, values


def _are_texts(kind: Any) -> bool:
    import pyarrow as pa

    types = pa.types
    views = hasattr(types, "is_string_view") and types.is_string_view(kind)
    return views or types.is_string(kind) or types.is_large_string(kind)


def _numbers(array: Any) -> np.ndarray:
    import pyarrow as pa

    if array.null_count:
        array = array.cast(pa.float64(), safe=False).fill_null(np.nan)
    return _whole(array)


def _codes(indices: Any) -> np.ndarray:
    import pyarrow as pa

    return _whole(indices.cast(pa.int64()).fill_null(-1) if indices.null_count else indices)


def _joined(array: Any) -> Any:
    """Return an array in one piece."""
    if not hasattr(array, "combine_chunks"):
        return array
    whole = array.combine_chunks()
    return whole.combine_chunks() if hasattr(whole, "combine_chunks") else whole


def _whole(array: Any) -> np.ndarray:
    if hasattr(array, "combine_chunks"):
        return array.to_numpy()
    return array.to_numpy(zero_copy_only=False)
