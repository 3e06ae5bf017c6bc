// The tests of the host. TAP on stdout.
// usage: node run.mjs MCPTOOLS_BINARY
import './calls.mjs';
import './costs.mjs';
import './gateway.mjs';
import './hooks.mjs';
import './isolation.mjs';
import './loading.mjs';
import './published.mjs';
import './revisions.mjs';
import { finish } from './support.mjs';

await finish();
