/** The program of a thread whose rules find no value by its label. */
import { replaceModules } from './replace.ts';

replaceModules({ 'agents/records/invoices/labelled-rules.ts': 'labels.ts' });
await import('../../../../engines/documents/worker.ts');
