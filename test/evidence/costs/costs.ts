/** `npm run costs`: writes docs/operations/costs.md from what the last `npm run rehearse` recorded. */
import { readFileSync, writeFileSync } from 'node:fs';
import { readArguments } from '../../../scripts/arguments.ts';
import type { Recording } from '../rehearsal/recorder/recording.ts';
import { costsDocument } from './document.ts';

readArguments({ command: 'npm run costs' });

const DOCUMENT = 'docs/operations/costs.md';

const recording = JSON.parse(readFileSync('.cache/rehearsal/calls.json', 'utf8')) as Recording;
writeFileSync(DOCUMENT, costsDocument(recording));
console.log(`written to ${DOCUMENT}`);
