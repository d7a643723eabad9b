/** Who webhooks are sent to: an organization's receivers are told apart by their origin. */

export type Receiver = { organization: string; origin: string };

export const receiverOf = (organization: string, endpoint: string): Receiver => ({
  organization,
  origin: new URL(endpoint).origin,
});

/** Two organizations that name the same origin are two. */
export const receiverName = ({ organization, origin }: Receiver): string => `${organization} ${origin}`;
