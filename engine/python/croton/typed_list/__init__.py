"""Lists whose elements are all of one type, as values in graphs."""
from croton.typed_list import basic, type  # noqa: F401,A004
from croton.typed_list.basic import (Append, Count, Extend, GetItem, Index, Insert, Length, MakeList, Remove, Reverse, TypedListConstant,  # noqa: F401
                                     TypedListVariable, append, count, extend, getitem, index_, insert, length, make_list, remove, reverse)
from croton.typed_list.type import TypedListType  # noqa: F401
