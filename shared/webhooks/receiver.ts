/** A receiver of webhooks: an organization and an origin. */

export type Receiver = { organization: string; origin: string };

export const receiverOf = (organization: string, endpoint: string): Receiver => ({
  organization,
  origin: new URL(endpoint).origin,
});

/** Two organizations with the same origin are two receivers. */
export const receiverName = ({ organization, origin }: Receiver): string => `${organization} ${origin}`;
