// Every page: copy buttons.
import "./copy.js";
