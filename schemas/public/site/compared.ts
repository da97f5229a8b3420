/**
 * The smallest and the largest number of datasets or repositories that can be compared. They have their own file, because
 * browsers load it without the other queries of the site.
 */

export const COMPARED = { least: 2, most: 4 } as const;
