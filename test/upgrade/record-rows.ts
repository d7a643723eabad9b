/** Records rows of each kind that the version that is checked out writes: `node test/upgrade/record-rows.ts`, before a release. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { temporaryFolder } from '../support/temporary-folder.ts';
import { recordedFolder, writeCompressed } from './recorded-file.ts';
import { fill, openWorld, recording } from './world.ts';

const folder = temporaryFolder();
const world = openWorld(folder.path);
const { table, rows } = recording(world.table);
const made = await fill({ ...world, table: table as typeof world.table });
const master = readFileSync(join(folder.path, 'master.json'), 'utf8');
const recorded = { version: packageJson.version, made, master, rows: [...rows.values()] };
writeCompressed(join(recordedFolder(packageJson.version), 'rows.json'), JSON.stringify(recorded));
world.table.close();
folder.remove();
