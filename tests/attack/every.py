"""All rows, in the order of the tables: each module adds its own when it is imported."""

# pylint: disable=unused-import
import held_rows
import row

ROWS = list(row.ROWS.values())
