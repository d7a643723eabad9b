/** Writes the rows of the version that is checked out: `node test/upgrade/write-rows.ts > test/upgrade/rows-VERSION.json`, before a release. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { temporaryFolder } from '../contracts/temporary-folder.ts';
import { fill, openWorld, recording } from './world.ts';

const folder = temporaryFolder();
const world = openWorld(folder.path);
const { table, rows } = recording(world.table);
const made = await fill({ ...world, table: table as typeof world.table });
const master = readFileSync(join(folder.path, 'master.json'), 'utf8');
console.log(JSON.stringify({ version: packageJson.version, made, master, rows: [...rows.values()] }, null, 1));
world.table.close();
folder.remove();
