import { describe, expect, it } from 'vitest';
import * as config from '../../../shared/core/config.ts';
import { benchmarkNames, loadBenchmark } from './benchmarks.ts';
import { functionEnvironment } from './cold-start/function-environment.ts';

it.each(benchmarkNames())('loads the benchmark %s', async (name) => {
  expect(await loadBenchmark(name)).toMatchObject({ title: expect.any(String), run: expect.any(Function) });
});

describe('the functions of the cold-start benchmark', () => {
  const environment = functionEnvironment('http://127.0.0.1:4566');

  it.each(Object.entries(config))('start with settings that %s accepts', (_, read) => {
    expect(() => read(environment)).not.toThrow();
  });
});
