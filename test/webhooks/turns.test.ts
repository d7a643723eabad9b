import { describe, expect, it } from 'vitest';
import { turns } from '../../shared/webhooks/turns.ts';

describe('turns', () => {
  it('let so many of one kind run, in the order they came, and others beside them', async () => {
    const { inTurn } = turns(2);
    const begun: string[] = [];
    const gates = new Map<string, () => void>();
    const run = (kind: string, name: string) =>
      inTurn(kind, () => {
        begun.push(name);
        return new Promise<void>((resolve) => gates.set(name, resolve));
      });
    const all = ['a1', 'a2', 'a3', 'a4'].map((name) => run('a', name));
    all.push(run('b', 'b1'));
    expect(begun).toEqual(['a1', 'a2', 'b1']);
    gates.get('a2')?.();
    await all[1];
    await Promise.resolve();
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3']);
    gates.get('a1')?.();
    gates.get('a3')?.();
    await Promise.all([all[0], all[2]]);
    expect(begun.at(-1)).toBe('a4');
    for (const open of gates.values()) open();
    await Promise.all(all);
  });

  it('pass on also when one fails', async () => {
    const { inTurn } = turns(1);
    const failing = inTurn('a', () => Promise.reject(new Error('no')));
    const next = inTurn('a', async () => 'yes');
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe('yes');
  });
});
