/** Which status and which text does a failed request get? All failures are problem+json. */
package org.tasktube.console.problem;
