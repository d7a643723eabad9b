/** `npm run prove:research`: runs the research agent over the frozen web and against lying models, and prints what was measured. */
import { resolve } from 'node:path';
import { type Reporter, startVitest, type TestModule } from 'vitest/node';
import { readArguments } from '../../../scripts/arguments.ts';
import { isWriting } from './proof-table.ts';
import { proofReporter } from './reporter.ts';
import { SETS } from './sets.ts';

const { values } = readArguments({
  command: 'npm run prove:research',
  options: {
    sets: { type: 'string', value: 'DIR', help: 'adds the questions of DIR/topics.json' },
  },
});
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
await startVitest('test', [], { project: ['research'], watch: false, reporters });
