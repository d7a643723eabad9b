/** The master secret in a file: the contract, and faults of files. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileSecrets } from '../../adapters/local/secrets.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { vaultContract } from './vault.ts';

vaultContract('the vault over a file', async () => {
  const folder = temporaryFolder();
  const secrets = fileSecrets({ file: join(folder.path, 'master.json') });
  return { secrets, rotate: secrets.rotate, close: async () => folder.remove() };
});

describe('the file of the master secret', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let file: string;
  beforeEach(() => {
    folder = temporaryFolder();
    file = join(folder.path, 'master.json');
  });
  afterEach(() => folder.remove());

  const master = () => fileSecrets({ file }).master();
  const refusal = (message: RegExp) =>
    expect.objectContaining({ code: 'badSetting', message: expect.stringMatching(message) });

  it('is for its owner only, from the first byte and after a rotation', async () => {
    await master();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await fileSecrets({ file }).rotate();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder.path)).toEqual(['master.json']);
  });

  it('outlives the process that made it', async () => {
    expect(await master()).toEqual(await master());
  });

  it('is one and the same for many that start at once', async () => {
    const masters = await Promise.all(Array.from({ length: 20 }, master));
    expect(new Set(masters.map(([{ version, key }]) => version + Buffer.from(key).toString('hex'))).size).toBe(1);
    expect(readdirSync(folder.path)).toEqual(['master.json']);
  });

  it('is one and the same for several processes that start at once', async () => {
    const script = `
      const { fileSecrets } = await import(${JSON.stringify(new URL('../../adapters/local/secrets.ts', import.meta.url).href)});
      const [{ version }] = await fileSecrets({ file: ${JSON.stringify(file)} }).master();
      process.stdout.write(version);`;
    const outputs = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const child = spawn(process.execPath, ['--input-type=module', '-e', script]);
        let output = '';
        child.stdout.on('data', (chunk) => {
          output += chunk;
        });
        await once(child, 'close');
        return output;
      }),
    );
    const [{ version }] = await master();
    expect(outputs).toEqual([version, version, version, version]);
  });

  it('shows a rotation to those who read it before', async () => {
    const reader = fileSecrets({ file });
    const [before] = await reader.master();
    await fileSecrets({ file }).rotate();
    const [after, previous] = await reader.master();
    expect(after.version).not.toBe(before.version);
    expect(previous).toEqual(before);
  });

  it('loses no secret to rotations at once: one of them is refused, or they follow each other', async () => {
    const [first] = await master();
    const outcomes = await Promise.allSettled([fileSecrets({ file }).rotate(), fileSecrets({ file }).rotate()]);
    const succeeded = outcomes.filter((outcome) => outcome.status === 'fulfilled').length;
    expect(succeeded).toBe(1);
    expect((await master())[1]).toEqual(first);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected')
        expect(outcome.reason).toEqual(refusal(/master\.json\.next exists: remove it/));
    }
  });

  it('is untouched by a rotation that was cut off, which is then refused with its remedy', async () => {
    const first = await master();
    writeFileSync(`${file}.next`, '{');
    await expect(fileSecrets({ file }).rotate()).rejects.toEqual(refusal(/remove it/));
    expect(await master()).toEqual(first);
    rmSync(`${file}.next`);
    await fileSecrets({ file }).rotate();
    expect((await master())[1]).toEqual(first[0]);
  });

  it.each([0o644, 0o640, 0o602, 0o610])('is refused when others have a right to it: mode %o', async (mode) => {
    const secrets = fileSecrets({ file });
    await secrets.master();
    chmodSync(file, mode);
    await expect(secrets.master()).rejects.toEqual(refusal(/master\.json is readable by other users: run chmod 600/));
    await expect(secrets.rotate()).rejects.toEqual(refusal(/chmod 600/));
    chmodSync(file, 0o600);
    await secrets.master();
  });

  it.each(['', 'no json', '{}', 'null', '[]', '{"current":{}}', '{"current":{"version":"a.b","key":"x"}}'])(
    'is refused when it holds %j, and left as it is',
    async (text) => {
      writeFileSync(file, text, { mode: 0o600 });
      await expect(master()).rejects.toEqual(refusal(/is not a valid master secret: restore it/));
      expect(readFileSync(file, 'utf8')).toBe(text);
    },
  );

  it('is refused when a byte of the key or a field is missing, or one is too many', async () => {
    await master();
    const whole = JSON.parse(readFileSync(file, 'utf8'));
    const altered = [
      { current: { ...whole.current, key: whole.current.key.slice(1) } },
      { current: { version: whole.current.version } },
      { ...whole, extra: 1 },
      { previous: whole.current },
    ];
    for (const contents of altered) {
      writeFileSync(file, JSON.stringify(contents));
      await expect(master()).rejects.toEqual(refusal(/is not a valid master secret/));
    }
  });

  it('is refused, without a word of the key, when it is a folder', async () => {
    mkdirSync(file, { mode: 0o700 });
    await expect(master()).rejects.toEqual(refusal(/cannot be read \(EISDIR\)/));
  });

  it('is read again when another one takes its place', async () => {
    const secrets = fileSecrets({ file });
    const [first] = await secrets.master();
    renameSync(file, `${file}.kept`);
    const [second] = await secrets.master();
    expect(second.version).not.toBe(first.version);
    renameSync(`${file}.kept`, file);
    expect((await secrets.master())[0]).toEqual(first);
  });
});
