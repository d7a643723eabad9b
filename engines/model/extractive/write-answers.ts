/** Writes the answers to all requests of a prompt, each under its own heading when there are several. */
import { type Desk, wantedBy } from './desk.ts';
import { escapeMarkdown } from './quote.ts';
import type { Request } from './read-prompt.ts';
import { writeComparison } from './write-comparison.ts';
import { NOTHING_FOUND, writeFound } from './write-found.ts';
import { writeSummary } from './write-summary.ts';

const MAX_TITLE = 160;

export function writeAnswers(requests: Request[], desk: Desk): string {
  const [only] = requests;
  if (!only) return NOTHING_FOUND;
  if (requests.length === 1) return writeAnswer(only, desk, desk.room);
  const share = Math.floor(desk.room / requests.length) - MAX_TITLE;
  return requests
    .map((request) => `## ${escapeMarkdown(request.text.slice(0, MAX_TITLE))}\n\n${writeAnswer(request, desk, share)}`)
    .join('\n\n');
}

function writeAnswer(request: Request, desk: Desk, room: number): string {
  if (request.kind === 'summarise') return writeSummary(request, desk, room);
  if (request.kind === 'compare') return writeComparison(request, desk, room);
  return writeFound(wantedBy(request, desk), request.kind, desk, room);
}
