/**
 * Runs the research agent over the frozen web and against lying models, and prints what was measured. `--sets DIR` adds
 * the questions of DIR/topics.json and the statements of DIR/statements.json.
 */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Reporter, startVitest, type TestModule } from 'vitest/node';
import { isWriting } from './proof-table.ts';
import { proofReporter } from './reporter.ts';
import { SETS } from './sets.ts';

const FOLDERS = ['test/frozen-web', 'test/research/claims'];

const { values } = parseArgs({ options: { sets: { type: 'string' } } });
if (values.sets !== undefined) process.env[SETS] = resolve(values.sets);

const figures: Reporter = {
  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { figure } = test.meta() as { figure?: string };
        if (figure !== undefined) console.log(`- ${figure}`);
      }
    }
  },
};

const reporters = ['default', figures, ...(isWriting() ? [proofReporter()] : [])];
await startVitest('test', FOLDERS, { project: ['node'], watch: false, reporters });
