/** Holds the write lock of a state's database for some milliseconds, as a backup or a shell may. */
import { writeSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

const [file = '', ms = '0'] = process.argv.slice(2);
const db = new DatabaseSync(file, { timeout: 10_000 });
db.exec('BEGIN IMMEDIATE');
writeSync(1, 'held');
setTimeout(() => db.exec('ROLLBACK'), Number(ms));
