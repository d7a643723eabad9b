/** `npm run test:aws`: the tests that need AWS, run against emulators. Files, and options behind another `--`, go to vitest. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readArguments } from '../../../scripts/arguments.ts';
import { isProblem } from '../../../shared/core/problem.ts';
import { type Emulators, startEmulators } from './start.ts';

const { positionals: filters } = readArguments({
  command: 'npm run test:aws',
  positionals: { usage: '[FILE ...] [-- OPTION_OF_VITEST ...]', count: [0, Number.POSITIVE_INFINITY] },
});
const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'aws'];

const environmentOf = (emulators: Emulators) => ({
  AWS_ENDPOINT_URL: emulators.awsUrl,
  AWS_ENDPOINT_URL_DYNAMODB: emulators.dynamoUrl,
  AWS_ENDPOINT_URL_S3: emulators.s3Url,
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
});

async function main(): Promise<number> {
  const begun = Date.now();
  const emulators = await startEmulators();
  console.log(`The AWS emulators are up (${Date.now() - begun} ms).`);
  try {
    const tests = spawn(process.execPath, [...vitest, ...filters], {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, ...environmentOf(emulators) },
    });
    const [code] = await once(tests, 'exit');
    return code ?? 1;
  } finally {
    await emulators.stop();
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!isProblem(error)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
