/** Which organization an issuer and an audience belong to. */
import { describe, expect, it } from 'vitest';
import { removeIssuer, setIssuer } from '../../../../shared/accounts/issuers.ts';
import type { Table } from '../../../../shared/ports.ts';
import { elsewhere, organization } from '../login/setup.ts';
import { audience, REFUSED, useTrustedIssuer } from './trusted-issuer.ts';

const { its, trust, token, signIn: enter } = useTrustedIssuer();

describe('an issuer and an audience', () => {
  it('belong to one organization, until it trusts another', async () => {
    await expect(trust({ of: elsewhere })).rejects.toMatchObject({ message: /belong to another organization/ });
    await trust({ issuer: 'https://login.acme.org' });
    expect(await enter(await token())).toBe(REFUSED);
    await trust({ of: elsewhere, admits: true });
    expect(await enter(await token())).toMatchObject({ organization: elsewhere });
    await removeIssuer(its.at.table, elsewhere);
    expect(await enter(await token())).toBe(REFUSED);
    await trust({ admits: true });
    expect(await enter(await token({ sub: 'subject-3' }))).toMatchObject({ organization });
  });

  it('that an interrupted change left behind are no longer trusted, and free for others', async () => {
    const { rows } = await its.at.table.rows<object>(`O#${organization}`, 'SSO', { limit: 1 });
    for (const row of rows) {
      await its.at.table.replace(row, { value: { ...row.value, issuer: 'https://login.acme.org' } });
    }
    expect(await enter(await token())).toBe(REFUSED);
    await trust({ of: elsewhere, admits: true });
    expect(await enter(await token())).toMatchObject({ organization: elsewhere });
  });

  it('stay with the organization that took them over while they were released', async () => {
    const table: Table = {
      ...its.at.table,
      async remove(row) {
        const isGone = await its.at.table.remove(row);
        if (row.sk === 'SSO') await trust({ of: elsewhere, admits: true });
        return isGone;
      },
    };
    await removeIssuer(table, organization);
    expect(await enter(await token())).toMatchObject({ organization: elsewhere });
  });

  it.each([
    { issuer: 'http://login.acme.org' },
    { issuer: 'login.acme.org' },
    { issuer: '' },
    { audience: '' },
    { audience: 'a b' },
    { keysAddress: 'http://login.acme.org/jwks' },
    { keysAddress: 'file:///etc/passwd' },
    { keysAddress: `https://login.acme.org/${'x'.repeat(600)}` },
  ])('are refused as %j', async (changes) => {
    const settings = {
      issuer: 'https://login.acme.org',
      audience,
      keysAddress: its.issuing.keysAddress,
      admits: false,
    };
    await expect(setIssuer(its.at, elsewhere, { ...settings, ...changes })).rejects.toMatchObject({ code: 'invalid' });
  });
});
