/** The limits of the structure check, and its exceptions with their reasons. */
export const EXPECTED = {
  files: 420,
  localExports: 0.25,
  circles: 0,
  crowded: [] as string[],
  singleUse: [] as string[],
  repeatedTypes: [] as string[],
  journeys: {} as Record<string, number>,
};
