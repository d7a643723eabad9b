/** Small line drawings beside words; they say nothing that the words do not. */

const PATHS = {
  agents: 'M4 6h16M4 12h10M4 18h6',
  prompts: 'M4 5h16v11H9l-5 4z',
  files: 'M6 3h8l4 4v14H6zM14 3v4h4',
  hooks: 'M4 12h12M12 6l6 6-6 6M20 5v14',
  usage: 'M5 20V11M12 20V4M19 20v-6',
  mail: 'M3 6h18v12H3zM3 7l9 7 9-7',
  plus: 'M12 5v14M5 12h14',
  out: 'M14 4h6v16h-6M3 12h11M10 8l4 4-4 4',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
