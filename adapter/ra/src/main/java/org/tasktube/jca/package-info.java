/** What the roles of JCA share: configured text made into values, and work that goes on for long. */
package org.tasktube.jca;
