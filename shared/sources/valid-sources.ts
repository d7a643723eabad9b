/** What a task may name as its sources: what every organization has, and what this one has of its own. */
import type { Organization } from '../accounts/organization.ts';
import { KNOWN_SOURCES } from '../agents/task-types.ts';

export const validSources = (organization: Pick<Organization, 'sources'> | undefined): string[] => [
  ...new Set([...KNOWN_SOURCES, ...(organization?.sources ?? [])]),
];
