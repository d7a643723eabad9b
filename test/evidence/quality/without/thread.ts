/** The program of a reading thread in which the first row of a sheet is its header. */
import { replaceModules } from './replace.ts';

replaceModules({ 'engines/documents/sheets/find-tables.ts': 'headers.ts' });
await import('../../../../engines/documents/worker.ts');
