/** Validates values of the caller before they are sent. Error messages do not repeat them, because they may be secret. */
import { badOption } from '../errors.ts';

/** Header values must be printable ASCII without line breaks; surrounding white space is removed, as `fetch` does. */
export function headerIn(what: string, value: unknown): string {
  const text = typeof value === 'string' ? value.trim() : '';
  if (/^[\x20-\x7e]+$/.test(text)) return text;
  throw badOption(
    text ? `${what} has a character that is not allowed in a header, such as a line break.` : `${what} is missing.`,
  );
}

/** An id as one path segment. Dots would lead to another path. */
export function segmentOf(id: string): string {
  try {
    if (typeof id === 'string' && !/^\.{0,2}$/.test(id)) return encodeURIComponent(id);
  } catch {
    // A lone surrogate cannot be encoded.
  }
  throw badOption('Pass the id as the API returned it: this one is empty or undefined.');
}

/** `scheme` includes its secure variant: `http` also accepts `https`. */
export function addressIn(what: string, value: string, scheme: 'http' | 'ws') {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (!url || !new RegExp(`^${scheme}s?:$`).test(url.protocol)) {
    throw badOption(`${what} is not a valid URL: use one such as ${scheme}s://errand.acme.org.`);
  }
  if (url.username || url.password) throw badOption(`${what} contains a user name or a password.`);
  return { origin: url.origin, base: value.replace(/\/+$/, '') };
}
