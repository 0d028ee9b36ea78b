within Couplet;
package Examples "Mechanisms that run"
end Examples;
