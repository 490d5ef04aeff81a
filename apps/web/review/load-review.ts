/** Loads the review dialog. Called as soon as a question about a change is shown. */
export const loadReview = () => import('./review-dialog.tsx');
