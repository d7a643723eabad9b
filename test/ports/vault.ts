/** The contract of stores of the master secret, tested through the vault that derives its keys from it. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deriveKey } from '../../shared/core/derived-keys.ts';
import { type Vault, vault } from '../../shared/core/vault.ts';
import type { MasterSecret, Secrets } from '../../shared/ports.ts';

export type VaultHarness = {
  /** The store has no secret yet, or a fresh one. */
  secrets: Secrets;
  /** Afterwards `secrets` returns the new secret. */
  rotate(): Promise<void>;
  close(): Promise<void>;
};

const unreadable = { name: 'Problem', code: 'unreadable' };

export function vaultContract(name: string, open: () => Promise<VaultHarness>): void {
  describe(name, () => {
    let harness: VaultHarness;
    let sealer: Vault;
    beforeEach(async () => {
      harness = await open();
      sealer = vault(harness.secrets);
    });
    afterEach(() => harness.close());

    describe('the master secret', () => {
      it('stays the same from one reading to the next', async () => {
        expect(await harness.secrets.master()).toEqual(await harness.secrets.master());
      });

      it('has at least 32 bytes, and a version that can stand between the dots of a sealed text', async () => {
        const [current] = await harness.secrets.master();
        expect(current.key.byteLength).toBeGreaterThanOrEqual(32);
        expect(current.version).toMatch(/^[\w-]+$/);
      });

      it('comes newest first after a rotation, the one before behind it when its version is wanted', async () => {
        const [first] = await harness.secrets.master();
        await harness.rotate();
        const [second, previous, ...older] = await harness.secrets.master(first.version);
        expect([previous, older]).toEqual([first, []]);
        expect(second.version).not.toBe(first.version);
        expect(Buffer.from(second.key).equals(first.key)).toBe(false);
      });

      it('returns what it has when a version does not exist', async () => {
        const masterSecrets = await harness.secrets.master();
        expect(await harness.secrets.master('no-such-version')).toEqual(masterSecrets);
      });

      it('keeps the one before for one rotation only', async () => {
        const [first] = await harness.secrets.master();
        await harness.rotate();
        await harness.rotate();
        const versions = (await harness.secrets.master(first.version)).map((master) => master.version);
        expect(versions).toHaveLength(2);
        expect(versions).not.toContain(first.version);
      });

      it('gives another key for every purpose and every version, and the same one again', async () => {
        const [first] = await harness.secrets.master();
        await harness.rotate();
        const masters = await harness.secrets.master(first.version);
        const keyOf = (use: string, master: MasterSecret) => deriveKey(use, { ...master }).export();
        const keys = masters.flatMap((master) => ['vault', 'addresses', 'tokens'].map((use) => keyOf(use, master)));
        expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(6);
        expect(keyOf('vault', masters[0])).toEqual(keys[0]);
        for (const key of keys) expect(masters.some((master) => key.equals(master.key))).toBe(false);
      });
    });

    describe('the vault over it', () => {
      it.each(['whsec_abc', '', 'ünïcode 🎉\n', 'x'.repeat(10_000)])('opens what it sealed', async (text) => {
        expect(await sealer.open(await sealer.seal(text, 'org-1'), 'org-1')).toBe(text);
      });

      it('opens what another vault over the same secret sealed', async () => {
        expect(await vault(harness.secrets).open(await sealer.seal('text', 'org-1'), 'org-1')).toBe('text');
      });

      it('seals the same text differently each time', async () => {
        const sealed = await Promise.all(Array.from({ length: 20 }, () => sealer.seal('text', 'org-1')));
        expect(new Set(sealed).size).toBe(20);
      });

      it('shows nothing of the text', async () => {
        const sealed = await sealer.seal('whsec_in_plain_sight', 'org-1');
        const decoded = Buffer.from(sealed.split('.')[2] ?? '', 'base64url').toString('latin1');
        for (const candidate of [sealed, decoded]) expect(candidate).not.toContain('plain_sight');
      });

      it.each(['org-2', '', 'org-1 ', 'ORG-1'])('does not open for another context: "%s"', async (context) => {
        const sealed = await sealer.seal('text', 'org-1');
        await expect(sealer.open(sealed, context)).rejects.toMatchObject(unreadable);
      });

      it('does not open when any byte was altered', async () => {
        const [format, version, body = ''] = (await sealer.seal('some text', 'org-1')).split('.');
        const bytes = Buffer.from(body, 'base64url');
        for (let at = 0; at < bytes.length; at++) {
          const altered = Buffer.from(bytes);
          altered.writeUInt8(bytes.readUInt8(at) ^ 1, at);
          const sealed = [format, version, altered.toString('base64url')].join('.');
          await expect(sealer.open(sealed, 'org-1')).rejects.toMatchObject(unreadable);
        }
      });

      it('does not open in another spelling of the same bytes', async () => {
        const sealed = await sealer.seal('some text', 'org-1');
        for (const respelled of [
          `${sealed}=`,
          `${sealed}!!`,
          `${sealed}\n`,
          ` ${sealed}`,
          sealed.replace(/\.(?=[^.]*$)/, '.='),
        ]) {
          await expect(sealer.open(respelled, 'org-1'), JSON.stringify(respelled)).rejects.toMatchObject({
            code: 'unreadable',
          });
        }
      });

      it('does not open when cut short anywhere, or lengthened', async () => {
        const sealed = await sealer.seal('some text', 'org-1');
        for (let length = 0; length < sealed.length; length++) {
          await expect(sealer.open(sealed.slice(0, length), 'org-1')).rejects.toMatchObject(unreadable);
        }
        for (const more of ['AAAA', '.', '.x']) {
          await expect(sealer.open(sealed + more, 'org-1')).rejects.toMatchObject(unreadable);
        }
      });

      it('does not open another format, another version or plain text', async () => {
        const [format, version, body] = (await sealer.seal('some text', 'org-1')).split('.');
        for (const sealed of [
          `v2.${version}.${body}`,
          `${format}.x${version}.${body}`,
          `${format}..${body}`,
          'whsec_x',
          '',
        ]) {
          await expect(sealer.open(sealed, 'org-1')).rejects.toMatchObject(unreadable);
        }
      });

      it('opens after one rotation and not after two', async () => {
        const sealed = await sealer.seal('text', 'org-1');
        await harness.rotate();
        expect(await sealer.open(sealed, 'org-1')).toBe('text');
        const resealed = await sealer.seal('text', 'org-1');
        await harness.rotate();
        await expect(sealer.open(sealed, 'org-1')).rejects.toMatchObject(unreadable);
        expect(await sealer.open(resealed, 'org-1')).toBe('text');
      });
    });
  });
}
