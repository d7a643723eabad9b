/** What a message is about: its first line that says more than hello. */

const MOST_GREETING = 60;
/** `Hello team,`, `Liebe Kolleginnen und Kollegen,`: few words and a comma, in whatever language. */
const ADDRESSES = /^\S+(?: \S+){0,6}[,，]$/u;
const GREETS = /^(?:hello|hi|hey|dear|greetings|good (?:morning|day|afternoon|evening))(?: \S+){0,2}[.!:]?$/iu;

const isGreeting = (line: string): boolean =>
  line.length <= MOST_GREETING && (ADDRESSES.test(line) || GREETS.test(line));

export const gistOf = (message: readonly string[]): string =>
  message.find((line) => !isGreeting(line)) ?? message[0] ?? '';
