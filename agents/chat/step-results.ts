/** What a task with several workflow steps delivers of each: a field of the result, and a file in the archive. */

import { cleanFileName } from '../../shared/files/file-name.ts';
import type { ChatInput } from '../../shared/tasks/details.ts';
import type { Result, StepOutput } from '../../shared/tasks/results.ts';
import type { StepResult } from '../prompts/chat.ts';
import { fairShares } from './fair-shares.ts';
import { isSameName } from './saveable-files.ts';
import type { SavedFile } from './workspace.ts';

/** The results that are delivered as such: the text of a task with one step is its result already. */
export const deliveredSteps = ({ steps }: ChatInput, results: readonly StepResult[]): readonly StepResult[] =>
  steps.length > 1 ? results : [];

/** Each poll reads the field, so its texts are bounded together. The archive has them whole. */
export const MAX_STEP_CHARACTERS = 100_000;

export function withSteps(results: readonly StepResult[]): Pick<Result, 'steps'> {
  if (results.length === 0) return {};
  const rooms = fairShares(
    results.map(({ text }) => text.length),
    MAX_STEP_CHARACTERS,
  );
  return {
    steps: results.map(({ number, name, text }, at): StepOutput => {
      const room = rooms[at] ?? 0;
      return text.length > room
        ? { number, name, text: text.slice(0, room).toWellFormed(), truncated: true }
        : { number, name, text };
    }),
  };
}

/** A Markdown file for each step, in a folder whose name no saved file has. The texts are inert already. */
export function stepFiles(results: readonly StepResult[], saved: readonly SavedFile[]): SavedFile[] {
  const folder = freeFolder(saved.map(({ name }) => name));
  return results.map(({ number, name, text }) => ({
    name: `${folder}/${cleanFileName(`${number}-${name}.md`)}`,
    text,
  }));
}

function freeFolder(names: readonly string[]): string {
  let folder = FOLDER;
  for (let again = 2; names.some((name) => isSameName(name, folder)); again++) folder = `${FOLDER}-${again}`;
  return folder;
}

const FOLDER = 'steps';
