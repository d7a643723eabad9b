/** The claims of an access token. For display only: the API checks the token. */

/** For display only: the API checks the role. */
export type ClaimedRole = 'viewer' | 'member' | 'admin';

type Claims = {
  role: ClaimedRole | undefined;
  name: string | undefined;
  /** A unique id, independent of the display name. */
  person: string | undefined;
};

export function claimsIn(token: string): Claims {
  const claims = objectIn(token.split('.')[1] ?? '');
  const { role, name, org, sub } = claims as Record<string, unknown>;
  const isRole = role === 'viewer' || role === 'member' || role === 'admin';
  return {
    role: isRole ? role : undefined,
    name: typeof name === 'string' ? name : undefined,
    person: typeof org === 'string' && typeof sub === 'string' ? `${org} ${sub}` : undefined,
  };
}

function objectIn(part: string): object {
  try {
    const text = atob(part.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
