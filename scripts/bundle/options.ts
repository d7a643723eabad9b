/** How esbuild makes a file for Lambda. */
import type { BuildOptions } from 'esbuild';

export const lambdaOptions = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  // As ESM, a cold start would take 25 to 35 ms longer for `node:http`.
  format: 'cjs',
  mainFields: ['module', 'main'],
  supported: { 'dynamic-import': false },
  minify: true,
  legalComments: 'none',
  logLevel: 'silent',
  // Neither exists in CJS: code that needs one must fail at build time, not at the first request.
  logOverride: { 'empty-import-meta': 'error' },
} satisfies BuildOptions;
