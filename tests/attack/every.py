"""All rows, in the order of the tables: each module adds its own when it is imported."""

# pylint: disable=unused-import
import stdio_rows
import process_rows
import http_rows
import client_rows
import state_rows
import web_rows
import local_rows
import pins_rows
import scan_rows
import held_rows
import row

ROWS = list(row.ROWS.values())
