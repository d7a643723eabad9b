/** What a password must be like. */
import { Problem } from '../core/problem.ts';

const MIN_PASSWORD_LENGTH = 12;
const MAX_PASSWORD_LENGTH = 200;

export function checkPassword(password: string): void {
  const { length } = Array.from(password.normalize('NFKC'));
  if (length >= MIN_PASSWORD_LENGTH && length <= MAX_PASSWORD_LENGTH && !/\p{Cc}/u.test(password)) return;
  throw new Problem(
    'invalid',
    `A password has ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters, none of them a control character.`,
  );
}
