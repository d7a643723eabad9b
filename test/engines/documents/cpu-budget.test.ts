import { expect, it } from 'vitest';
import { cpuBudget } from '../../../engines/documents/cpu-budget.ts';

const limits = { cpuMs: 10_000, ocrPageCpuMs: 5_000 };
const STARTED_AT = 700;

function exhausts(ms: number, ocr: readonly [from: number, to?: number][] = []): boolean {
  const budget = cpuBudget(limits);
  for (const [from, to] of ocr) {
    budget.record({ ocr: 'begins', cpuMs: STARTED_AT + from });
    if (to !== undefined) budget.record({ ocr: 'ends', cpuMs: STARTED_AT + to });
  }
  return budget.isExceeded(STARTED_AT + ms, STARTED_AT);
}

it('allows ten seconds of CPU for a document without scanned pages', () => {
  expect(exhausts(10_000)).toBe(false);
  expect(exhausts(10_001)).toBe(true);
});

it('allows five seconds more for each page that is recognized', () => {
  const pages = Array.from({ length: 20 }, (_, n): [number, number] => [n * 5_000, (n + 1) * 5_000]);
  expect(exhausts(110_000, pages)).toBe(false);
  expect(exhausts(110_001, pages)).toBe(true);
});

it('never gives the time of recognition to anything else', () => {
  const blank: [number, number][] = Array.from({ length: 20 }, () => [1, 2]);
  expect(exhausts(10_020, blank)).toBe(false);
  expect(exhausts(10_021, blank)).toBe(true);
});

it('lets one dense page take what the rest of the document leaves', () => {
  expect(exhausts(15_000, [[1_000]])).toBe(false);
  expect(exhausts(15_001, [[1_000]])).toBe(true);
});
